import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { composeText } from "../../i18n/compose.ts";
import { useText } from "../../i18n/use-text.ts";

export interface ComposePageProps {
  /** The preset that the URL names. */
  readonly preset: string | undefined;
}

export function ComposePage({ preset }: ComposePageProps): ReactElement {
  const text = useText(composeText);
  return <Page title={text.title}>{preset ?? text.title}</Page>;
}
