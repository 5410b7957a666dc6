import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";

export function ImportPage(): ReactElement {
  const text = useText(importText);
  return <Page title={text.title}>{text.title}</Page>;
}
