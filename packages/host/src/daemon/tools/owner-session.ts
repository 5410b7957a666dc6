import { mcpCaller } from "../../handover/options/caller.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { Tool } from "../../tools/tool.ts";
import { type ToolSession, callTool } from "./tool-session.ts";

export interface LocalSessionOptions {
  readonly tools: readonly Tool[];
  /** The agent of the configuration that is spoken for; the owner's own programs if absent. */
  readonly agent?: string | undefined;
}

/** A session on this machine's standard streams, which needs no token. */
export function localSession({ tools, agent }: LocalSessionOptions): ToolSession {
  const now = Date.now();
  const agentName = agent ?? reservedAgentName;
  return {
    token: { token: "", agentName, sessionId: "local", createdAt: now, expiresAt: now + hour },
    tools,
    call: (tool, input, source = {}) => {
      const caller = agent === undefined ? mcpCaller(source.client) : `agent:${agent}`;
      return callTool(tool, input, { ...source, caller, agent: agentName });
    },
  };
}

export interface OwnerSessionOptions {
  readonly token: string;
  readonly tools: readonly Tool[];
  readonly methods?: NonNullable<ToolSession["methods"]>;
}

/**
 * What the owner's programs may do with the daemon's own token: the tools, for a chat and a canvas of their own, and every
 * method of the API. A method is the person's; a tool is a model's, so that it is called in the name of the program [A4].
 */
export function ownerSession({ token, tools, methods }: OwnerSessionOptions): ToolSession {
  const local = localSession({ tools });
  return {
    ...local,
    token: { ...local.token, token, sessionId: "owner" },
    ...(methods ? { methods } : {}),
  };
}

/** For clients that want to know; the token is good for as long as the daemon runs. */
const hour = 60 * 60 * 1000;
