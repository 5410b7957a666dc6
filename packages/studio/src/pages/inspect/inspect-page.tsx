import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";

export interface InspectPageProps {
  readonly session: string | undefined;
  readonly turn: string | undefined;
}

export function InspectPage({ session, turn }: InspectPageProps): ReactElement {
  const text = useText(inspectText);
  return <Page title={text.title}>{[session, turn].join(" ")}</Page>;
}
