import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";

export interface AgentsPageProps {
  readonly agent: string | undefined;
}

export function AgentsPage({ agent }: AgentsPageProps): ReactElement {
  const text = useText(agentsText);
  return <Page title={text.title}>{agent ?? text.title}</Page>;
}
