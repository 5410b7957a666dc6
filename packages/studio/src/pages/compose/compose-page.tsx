import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { composeText } from "../../i18n/compose.ts";
import { useText } from "../../i18n/use-text.ts";

export function ComposePage(): ReactElement {
  const text = useText(composeText);
  return <Page title={text.title}>{text.title}</Page>;
}
