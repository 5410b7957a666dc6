import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import { jsonSchemaOf, specOf } from "../../tools/tool-specs.ts";
import type { Tool, ToolContent } from "../../tools/tool.ts";
import { serveTopics, topicCapabilities } from "./mcp-topics.ts";
import type { CallSource, ToolSession } from "../tools/tool-session.ts";

/** How Galley calls itself towards MCP. */
export const mcpServerInfo = { name: "galley", version: "0.1.0", title: "Galley" };

/** What is so for each: Galley runs an agent's session, and does not run a client that comes with its own [A7]. */
function instructionsFor({ token, tools, chat }: ToolSession): string {
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  if (!chat) return `Tools that Galley gives the agent ${token.agentName}.`;
  const topics =
    "Galley keeps topics for later, in a folder that other programs may use too. chat_context_new puts a topic away with a note in your words (goal, decisions, state, next steps); chat_context_list and chat_context_load find it again, here or in another program. None of them changes your own conversation.";
  const handover =
    " delegate_async, fork_join and ask_expert hand work to the agents of this folder, which see only what you pass; await_result gives the answer of what takes longer.";
  return has("await_result") ? topics + handover : topics;
}

export interface McpServerOptions {
  /** Takes secrets out of results; they stay as they are if absent. */
  readonly redact?: (<Value>(value: Value) => Value) | undefined;
  /** Called with unexpected errors. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The name that the client gave before; of use where a request does not say it. */
  readonly client?: string | undefined;
}

export function mcpServer(
  session: ToolSession,
  { redact = (value) => value, onError, client }: McpServerOptions = {},
): Server {
  const { chat } = session;
  const capabilities = { tools: {}, ...(chat ? topicCapabilities : {}) };
  const server = new Server(mcpServerInfo, { capabilities, instructions: instructionsFor(session) });
  if (chat) serveTopics(server, chat, redact);
  server.setRequestHandler("tools/list", () => ({ tools: session.tools.map(listed) }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: input } }, { mcpReq: { signal } }) => {
    const tool = session.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    // The name in the request itself, or in the handshake of this connection.
    const source = { signal, client: server.getClientVersion()?.name ?? client };
    return redact(await toolResult(session, tool, input, source, onError));
  });
  return server;
}

function listed(tool: Tool): ListToolsResult["tools"][number] {
  const { name, description = "", inputSchema } = specOf(tool);
  const { title, annotations, outputSchema } = tool;
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    title,
    annotations,
    outputSchema: outputSchema && { ...jsonSchemaOf(outputSchema), type: "object" },
  };
}

/** An agent gets to know what went wrong as the result of its call, so that it can do better. */
async function toolResult(
  session: ToolSession,
  tool: Tool,
  input: unknown,
  source: CallSource,
  onError: McpServerOptions["onError"],
): Promise<CallToolResult> {
  try {
    return asResult(await session.call(tool, input, source));
  } catch (error) {
    if (!(error instanceof GalleyError)) onError?.(error);
    const known = error instanceof GalleyError ? error.toJSON() : { message: "The tool failed." };
    return { ...asResult([{ type: "json", value: JSON.parse(JSON.stringify({ error: known })) }]), isError: true };
  }
}

function asResult(given: readonly ToolContent[]): CallToolResult {
  const content = given.map(asContent);
  const data: unknown = given.find((part) => part.type === "json")?.value;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  return isObject ? { content, structuredContent: data } : { content };
}

function asContent(part: ToolContent, index: number): CallToolResult["content"][number] {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "json") {
    return { type: "text", text: typeof part.value === "string" ? part.value : JSON.stringify(part.value) };
  }
  const { data, mediaType: mimeType, filename } = part;
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const uri = `galley:result/${index}/${encodeURIComponent(filename ?? "file")}`;
  return { type: "resource", resource: { uri, mimeType, blob: data } };
}
