import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import { GalleyError } from "@galley/engine";
import { type AcpMcpServer, isHttpServer } from "../../config/providers/acp-mcp-server.ts";
import { limitedBody } from "../../limits/limited-body.ts";
import { withTimeout } from "../../limits/with-timeout.ts";

/** In bytes: the longest message of a server. */
const maxMessageLength = 16 * 1024 * 1024;

export interface McpConnectionOptions {
  /** The working folder of a server that is started. */
  readonly folder: string;
  /** Until it is connected and has listed its tools. */
  readonly connectMs: number;
}

export interface McpConnection {
  readonly tools: readonly McpTool[];
  /** After an error of the connection, rather than of the tool, the connection is over. */
  call(name: string, input: unknown, options: McpCallOptions): Promise<CallToolResult>;
  readonly isOver: () => boolean;
  close(): Promise<void>;
}

interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** Connects to a server with the official client and reads its tools, within a time [T15]. */
export async function connectMcp(server: AcpMcpServer, options: McpConnectionOptions): Promise<McpConnection> {
  const { connectMs: milliseconds } = options;
  // Loaded when it is used: most turns need no server.
  const { Client, ProtocolError } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "galley", version: "0.1.0" }, { versionNegotiation: { mode: "auto" } });
  let isOver = false;
  client.onclose = () => {
    isOver = true;
  };
  const close = async (): Promise<void> => {
    isOver = true;
    await client.close().catch(() => undefined);
  };
  // The client opens a stream of events that has ended once more, but not the session that went with it.
  if (isHttpServer(server) && server.type === "sse") client.onerror = () => void close();
  const call: McpConnection["call"] = async (name, input, { signal, timeout }) => {
    try {
      return await client.callTool({ name, arguments: input as Record<string, unknown> }, { signal, timeout });
    } catch (error) {
      if (isHttpServer(server) && !signal.aborted && !ProtocolError.isInstance(error)) await close();
      throw error;
    }
  };
  try {
    return await withTimeout(
      async () => {
        await client.connect(await transportTo(server, options), { timeout: milliseconds });
        // Of pages without end the client reads 64, and gives up.
        const { tools } = await client.listTools(undefined, { timeout: milliseconds });
        return { tools, call, isOver: () => isOver, close };
      },
      { milliseconds, error: () => new GalleyError("ToolFailed", `it gave no answer within ${milliseconds} ms`) },
    );
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Whether a server has not taken a call at all, because it was started again or is away: another connection may make it. */
export function isUntaken(error: unknown): boolean {
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: { readonly code?: unknown } };
  return status === 404 || cause?.code === "ECONNREFUSED";
}

async function transportTo(server: AcpMcpServer, { folder }: McpConnectionOptions) {
  if (isHttpServer(server)) {
    const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    const Transport = server.type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
    return new Transport(new URL(server.url), { requestInit: { headers }, fetch: limitedFetch });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
  const env = Object.fromEntries((server.env ?? []).map(({ name, value }) => [name, value]));
  return new StdioClientTransport({
    command: server.command,
    args: [...server.args],
    env: { ...getDefaultEnvironment(), ...env },
    cwd: folder,
    stderr: "ignore",
    maxBufferSize: maxMessageLength,
  });
}

const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const limits = isStream ? { max: Infinity, maxEventLength: maxMessageLength } : { max: maxMessageLength };
  return limitedBody(response, limits);
};
