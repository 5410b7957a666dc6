import { randomUUID } from "node:crypto";
import { GalleyError } from "@galley/engine";
import type { Chat } from "../../chat/chat.ts";
import { mcpCaller } from "../../handover/options/caller.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { SessionToken } from "../../inject/session/session-token-store.ts";
import { runTool } from "../../tools/run-tool.ts";
import type { Tool, ToolContent } from "../../tools/tool.ts";

/** Where a call comes from, as far as the protocol says it. */
export interface CallSource {
  /** What the program that calls says that it is called. */
  readonly client?: string | undefined;
  /** Aborted when the caller has gone, or waits no longer. */
  readonly signal?: AbortSignal | undefined;
}

/** What a good token lets its bearer do, over MCP and JSON-RPC. */
export interface ToolSession {
  /** Says whose session it is. */
  readonly token: SessionToken;
  /** The tools of the place [T2]. */
  readonly tools: readonly Tool[];
  /** The chat whose archived contexts a client that Galley does not run may read. */
  readonly chat?: (() => Promise<Chat>) | undefined;
  /** Methods of JSON-RPC beside the tools, by name; the daemon's own token has some. */
  readonly methods?: ReadonlyMap<string, (params: unknown) => Promise<unknown>>;
  /** Checks the token again: it may have been revoked since. */
  call(tool: Tool, input: unknown, source?: CallSource): Promise<readonly ToolContent[]>;
}

export function tokenRefused(): GalleyError {
  return new GalleyError("TokenRefused", "The session token is unknown, was revoked, or is too old.", {
    hint: "A token is good for one session of one agent, as long as that session runs.",
  });
}

/** Calls a tool for an agent, in the name of `caller` [A4]. */
export async function callTool(
  tool: Tool,
  input: unknown,
  { caller, agent, signal }: CallSource & { readonly caller: string; readonly agent: string },
): Promise<readonly ToolContent[]> {
  const outcome = await runTool(tool, input, {
    caller,
    place: { kind: "agent", name: agent },
    callId: randomUUID(),
    signal: signal ?? new AbortController().signal,
  });
  if (outcome.kind === "result") return outcome.content;
  throw new GalleyError("ToolFailed", `${tool.name} waits for others, for which a session cannot be parked.`);
}

/** For clients that want to know; the token is good for as long as the daemon runs. */
const hour = 60 * 60 * 1000;

interface LocalOptions {
  /** The agent of the configuration that it speaks for; the owner's own programs if absent. */
  readonly agent?: string | undefined;
  readonly chat?: ToolSession["chat"];
}

/** A session on this machine's standard streams, which needs no token. */
export function localSession(tools: readonly Tool[], { agent, chat }: LocalOptions = {}): ToolSession {
  const now = Date.now();
  const agentName = agent ?? reservedAgentName;
  return {
    token: { token: "", agentName, sessionId: "local", createdAt: now, expiresAt: now + hour },
    tools,
    chat,
    call: (tool, input, source = {}) => {
      const caller = agent === undefined ? mcpCaller(source.client) : `agent:${agent}`;
      return callTool(tool, input, { ...source, caller, agent: agentName });
    },
  };
}

/**
 * What the owner's programs may do with the daemon's own token: the tools, for a chat and a canvas of their own, and every
 * method of the API. A method is the person's; a tool is a model's, so that it is called in the name of the program [A4].
 */
export function ownerSession(
  token: string,
  tools: readonly Tool[],
  { methods, chat }: Pick<ToolSession, "methods" | "chat">,
): ToolSession {
  const local = localSession(tools, { chat });
  return { ...local, token: { ...local.token, token, sessionId: "owner" }, methods };
}
