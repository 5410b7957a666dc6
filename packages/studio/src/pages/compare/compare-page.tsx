import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { compareText } from "../../i18n/compare.ts";
import { useText } from "../../i18n/use-text.ts";

export function ComparePage(): ReactElement {
  const text = useText(compareText);
  return <Page title={text.title}>{text.title}</Page>;
}
