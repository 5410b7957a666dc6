import { GalleyError } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import * as z from "zod";
import type { AgentInstanceMeta } from "../config/providers/agent-meta.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import type { AcpMcpServer } from "../config/providers/acp-mcp-server.ts";
import type { ActantToolDefinition } from "../config/providers/tool-definition.ts";

/** All that one provider has for a session. */
export interface Collected {
  readonly servers: readonly AcpMcpServer[];
  readonly tools: readonly ActantToolDefinition[];
  readonly text: string | undefined;
}

// Providers are other people's code. The scope is not checked here: an unknown one hides its tool only [I3].
const name = z.string().min(1);
const namedValues = z.array(z.looseObject({ name, value: z.string() }));
const serversShape = z
  .array(
    z.union([
      z.looseObject({ name, type: z.enum(["http", "sse"]), url: z.string().min(1), headers: namedValues }),
      z.looseObject({ name, command: z.string().min(1), args: z.array(z.string()), env: namedValues.optional() }),
    ]),
  )
  .nullish();
const toolsShape = z
  .array(
    z.looseObject({
      name,
      description: z.string(),
      // The agent gets the schema as JSON: what has no such form would fail only there, and for all.
      parameters: z.looseObject({}).refine(isJson, "it cannot be written as JSON"),
      rpcMethod: z.string(),
      context: z.string().optional(),
      execute: z.custom((value) => typeof value === "function", "it is not a function").optional(),
    }),
  )
  .nullish();
const textShape = z.string().nullish();

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Asks a provider for servers, tools and text, in this order. As long as its methods are not async it is asked before this
 * function returns, so that providers without promises are asked strictly one after the other.
 */
export async function collectProvider(
  provider: ContextProvider,
  agentName: string,
  meta: AgentInstanceMeta,
): Promise<Collected> {
  // What was checked is what is used: a copy, whose fields are read once and cannot throw later.
  const servers = provider.getMcpServers?.(agentName, meta);
  const givenServers = check(serversShape, isThenable(servers) ? await servers : servers, "getMcpServers");
  const tools = provider.getTools?.(agentName, meta);
  const givenTools = check(toolsShape, isThenable(tools) ? await tools : tools, "getTools");
  const text = provider.getSystemContext?.(agentName, meta);
  const givenText = check(textShape, isThenable(text) ? await text : text, "getSystemContext");
  return {
    servers: givenServers ?? [],
    tools: (givenTools ?? []) as readonly unknown[] as readonly ActantToolDefinition[],
    text: givenText ?? undefined,
  };
}

/** Promises of other libraries, and of other realms, are not instances of our `Promise`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function check<Value>(shape: z.ZodType<Value>, value: unknown, method: string): Value {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const path = problemsOf(error.issues, "ProviderFailed")[0]?.path ?? "";
  const what = `${method} gave something that cannot be used${path === "" ? "" : ` at ${path}`}: ${issue?.message}`;
  throw new GalleyError("ProviderFailed", what, { path });
}
