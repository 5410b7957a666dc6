import { type AgentListOptions, type GalleyAgents, agentList } from "../config/agent-list.ts";
import type { AgentDeclaration } from "../config/load-config.ts";
import { addDeclaredSecrets } from "../inject/declared-secrets.ts";
import type { Services } from "../turn/services/services.ts";

/** The agents; the secrets of those that are added are masked from then on. */
export async function agentsIn({
  redactor,
  events,
  ...options
}: Omit<AgentListOptions, "onChange"> & Pick<Services, "redactor" | "events">): Promise<GalleyAgents> {
  const { environment } = options;
  const learn = (list: readonly AgentDeclaration[]): Promise<void> =>
    addDeclaredSecrets({ folder: agents.folder, agents: list, providers: [] }, { redactor, environment });
  const agents = agentList({
    ...options,
    async onChange(name, agent) {
      if (agent) await learn([agent]);
      events.emit("agent:changed", name);
    },
  });
  await learn(agents.list().flatMap(({ agent, from }) => (from === "added" ? [agent] : [])));
  return agents;
}
