import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";

export function HandoverPage(): ReactElement {
  const text = useText(handoverText);
  return <Page title={text.title}>{text.title}</Page>;
}
