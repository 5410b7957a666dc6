import { callTool } from "./host-tool.ts";
import type { HostTool } from "./host-tool.ts";
import type { ToolSession } from "./tool-host.ts";

export interface OwnerSessionOptions {
  readonly token: string;
  readonly tools: readonly HostTool[];
  readonly methods: NonNullable<ToolSession["methods"]>;
}

/** The name under which a person's own programs have a chat and a canvas. */
const ownName = "local";

/** What the daemon's own token opens: the tools, for a chat and a canvas of their own, and every method of the API. */
export function ownerSession({ token, tools, methods }: OwnerSessionOptions): ToolSession {
  const caller = { agent: ownName, session: "owner" };
  const now = Date.now();
  return {
    caller,
    token: { token, agentName: ownName, sessionId: caller.session, createdAt: now, expiresAt: now + hour },
    // Skills belong to the agents of a configuration.
    tools: tools.filter(({ name }) => name !== "galley_skill_read"),
    methods,
    call: (tool, input) => callTool(tool, input, caller),
  };
}

/** For clients that want to know; the token is good for as long as the daemon runs. */
const hour = 60 * 60 * 1000;
