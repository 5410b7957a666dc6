import type { ReactElement } from "react";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Tag } from "../../kit/tag.tsx";
import type { Agent } from "./agent-types.ts";

const tones = { stopped: "plain", starting: "accent", running: "good", restarting: "warn", failed: "bad" } as const;

export function AgentState({ agent }: { readonly agent: Pick<Agent, "state"> }): ReactElement {
  const text = useText(agentsText);
  return <Tag tone={tones[agent.state]}>{text.states[agent.state]}</Tag>;
}
