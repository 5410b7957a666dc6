import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";

export function InspectPage(): ReactElement {
  const text = useText(inspectText);
  return <Page title={text.title}>{text.title}</Page>;
}
