import type { ReactElement } from "react";
import { Page } from "../../frame/page.tsx";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";

export function AgentsPage(): ReactElement {
  const text = useText(agentsText);
  return <Page title={text.title}>{text.title}</Page>;
}
