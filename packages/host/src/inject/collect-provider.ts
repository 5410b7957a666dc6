import { GalleyError } from "@galley/engine";
import * as z from "zod";
import type { AgentInstanceMeta } from "./agent-instance-meta.ts";
import type { ContextProvider } from "./context-provider.ts";
import type { AcpMcpServer } from "./mcp-server.ts";
import type { ActantToolDefinition } from "./tool-definition.ts";

/** All that one provider has for a session. */
export interface Collected {
  readonly servers: readonly AcpMcpServer[];
  readonly tools: readonly ActantToolDefinition[];
  readonly text: string | undefined;
}

// Providers are other people's code. The scope is not checked here: an unknown one hides its tool only [I3].
const name = z.string().min(1);
const namedValues = z.array(z.looseObject({ name, value: z.string() }));
const serversShape = z.array(
  z.union([
    z.looseObject({ name, type: z.enum(["http", "sse"]), url: z.string().min(1), headers: namedValues }),
    z.looseObject({ name, command: z.string().min(1), args: z.array(z.string()), env: namedValues.optional() }),
  ]),
);
const toolsShape = z.array(
  z.looseObject({
    name,
    description: z.string(),
    parameters: z.looseObject({}),
    rpcMethod: z.string(),
    context: z.string().optional(),
  }),
);
const textShape = z.string().optional();

/**
 * Asks a provider for servers, tools and text, in this order. As long as its methods are not async it is asked before this
 * function returns, so that providers without promises are asked strictly one after the other.
 */
export async function collectProvider(
  provider: ContextProvider,
  agentName: string,
  meta: AgentInstanceMeta,
): Promise<Collected> {
  const servers = provider.getMcpServers?.(agentName, meta) ?? [];
  const givenServers = servers instanceof Promise ? await servers : servers;
  check(serversShape, givenServers, "getMcpServers");
  const tools = provider.getTools?.(agentName, meta) ?? [];
  const givenTools = tools instanceof Promise ? await tools : tools;
  check(toolsShape, givenTools, "getTools");
  const text = provider.getSystemContext?.(agentName, meta);
  const givenText = text instanceof Promise ? await text : text;
  check(textShape, givenText ?? undefined, "getSystemContext");
  return { servers: givenServers, tools: givenTools, text: givenText };
}

function check(shape: z.ZodType, value: unknown, method: string): void {
  const { success, error } = shape.safeParse(value);
  if (success) return;
  const [issue] = error.issues;
  const path = issue ? z.core.toDotPath(issue.path) : "";
  const what = `${method} gave something that cannot be used${path === "" ? "" : ` at ${path}`}: ${issue?.message}`;
  throw new GalleyError("ProviderFailed", what, { path });
}
