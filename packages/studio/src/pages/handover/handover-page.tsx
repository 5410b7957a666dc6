import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";

export interface HandoverPageProps {
  readonly box: string | undefined;
}

export function HandoverPage({ box }: HandoverPageProps): ReactElement {
  const text = useText(handoverText);
  return <Page title={text.title}>{box ?? text.title}</Page>;
}
