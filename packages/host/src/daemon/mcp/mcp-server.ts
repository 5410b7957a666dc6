import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import type { HostTool, ToolCallOptions } from "../tools/host-tool.ts";
import { schemaOf } from "../tools/tool-schema.ts";
import type { ToolSession } from "../tools/tool-host.ts";

/** How Galley calls itself towards MCP. */
export const mcpServerInfo = { name: "galley", version: "0.1.0", title: "Galley" };

const instructions = "Tools of Galley, the platform that runs this session.";

export interface McpServerOptions {
  /** Takes secrets out of results; they stay as they are if absent. */
  readonly redact?: (<Value>(value: Value) => Value) | undefined;
  /** Is told of errors that are none of ours. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** What the client has said before that it is called; of use where a request does not say it. */
  readonly client?: string | undefined;
}

/** An MCP server with the tools of one session. */
export function mcpServer(
  session: ToolSession,
  { redact = (value) => value, onError, client }: McpServerOptions = {},
): McpServer {
  const server = new McpServer(mcpServerInfo, { capabilities: { tools: {} }, instructions });
  for (const tool of session.tools) {
    const { name, description } = tool;
    server.registerTool(name, { description, inputSchema: schemaOf(tool) }, async (input, { mcpReq }) =>
      redact(
        await toolResult(session, { tool, input, signal: mcpReq.signal, client: clientOf(server) ?? client }, onError),
      ),
    );
  }
  return server;
}

/** The name in the request itself, or in the handshake of this connection. */
function clientOf({ server }: McpServer): string | undefined {
  return server.getClientVersion()?.name;
}

interface ToolCall extends ToolCallOptions {
  readonly tool: HostTool;
  readonly input: unknown;
}

/** An agent gets to know what went wrong as the result of its call, so that it can do better. */
async function toolResult(
  session: ToolSession,
  { tool, input, ...options }: ToolCall,
  onError: McpServerOptions["onError"],
): Promise<CallToolResult> {
  try {
    return asContent(await session.call(tool, input, options));
  } catch (error) {
    if (!(error instanceof GalleyError)) onError?.(error);
    const known = error instanceof GalleyError ? error.toJSON() : { message: "The tool failed." };
    return { ...asContent({ error: known }), isError: true };
  }
}

function asContent(value: unknown): CallToolResult {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
  const content: CallToolResult["content"] = [{ type: "text", text }];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { content, structuredContent: value } : { content };
}
