import type { Problem } from "@galley/engine";
import type { AcpMcpServer } from "../../config/providers/mcp-server.ts";
import type { Tool } from "../../tools/tool.ts";

export interface ServerTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly Problem[];
}

/** The MCP servers that providers name, connected for turns that Galley runs itself [T15]. */
export interface McpServers {
  /** The tools of a server. One that cannot be reached gives none, and says why. */
  tools(server: AcpMcpServer, folder: string): Promise<ServerTools>;
  close(): Promise<void>;
}
