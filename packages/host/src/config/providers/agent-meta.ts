/** What kind of worker an agent is; each one may use the tools of those before it. */
export const archetypes = ["repo", "service", "employee"] as const;

/** How much an agent may do by itself; tools name the archetype that they need. */
export type Archetype = (typeof archetypes)[number];

/** What a person's own programs are called, which have a chat and a canvas too: no agent may be. */
export const reservedAgentName = "local";

/** What providers may know of an agent when they decide what to give it. */
export interface AgentInstanceMeta {
  readonly name: string;
  readonly archetype: Archetype;
  /** Which program runs the agent: `claude-code`, `codex`, `opencode`, `pi` … */
  readonly backendType: string;
  readonly workspacePolicy: "persistent" | "ephemeral";
  readonly launchMode: "managed" | "direct";
}

export function isArchetype(value: unknown): value is Archetype {
  return archetypes.some((archetype) => archetype === value);
}
