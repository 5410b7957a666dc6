import { mcpCaller } from "../../handover/options/caller.ts";
import { ownersName } from "../../config/reserved-agent-name.ts";
import { callTool } from "./host-tool.ts";
import type { HostTool } from "./host-tool.ts";
import type { ToolSession } from "./tool-host.ts";

export interface OwnerSessionOptions {
  readonly token: string;
  readonly tools: readonly HostTool[];
  readonly methods?: NonNullable<ToolSession["methods"]>;
}

/**
 * What the owner's programs may do with the daemon's own token, and over standard streams: the tools, for a chat and a canvas
 * of their own, and every method of the API. A method is the person's; a tool is a model's, so that it is called in the name
 * of the program [A4].
 */
export function ownerSession({ token, tools, methods }: OwnerSessionOptions): ToolSession {
  const caller = { agent: ownersName, session: "owner", id: mcpCaller("rpc") };
  const now = Date.now();
  return {
    caller,
    token: { token, agentName: ownersName, sessionId: caller.session, createdAt: now, expiresAt: now + hour },
    // Skills belong to the agents of a configuration.
    tools: tools.filter(({ name }) => name !== "galley_skill_read"),
    ...(methods ? { methods } : {}),
    call: (tool, input, options) => callTool(tool, input, { ...caller, id: mcpCaller(options?.client) }, options),
  };
}

/** For clients that want to know; the token is good for as long as the daemon runs. */
const hour = 60 * 60 * 1000;
