import { randomUUID } from "node:crypto";
import { GalleyError } from "@galley/engine";
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
  /** Methods of JSON-RPC beside the tools, by name; the daemon's own token has some. */
  readonly methods?: ReadonlyMap<string, (params: unknown) => Promise<unknown>>;
  /** Checks the token again: it may have been revoked since. */
  call(tool: Tool, input: unknown, source?: CallSource): Promise<readonly ToolContent[]>;
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
