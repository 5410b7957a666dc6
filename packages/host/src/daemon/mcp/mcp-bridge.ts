import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import { limitedBody } from "../../limits/limited-body.ts";
import { tokenRefused } from "../tools/tool-session.ts";
import { mcpServerInfo } from "./mcp-server.ts";

const connectLimitMs = 15_000;

/** A connection to the MCP server of a host, with a session's token. */
export async function connectToHost(url: string, token: string): Promise<Client> {
  const client = new Client(mcpServerInfo, { versionNegotiation: { mode: "auto" } });
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: limitedFetch,
    });
    await client.connect(transport, { timeout: connectLimitMs });
    return client;
  } catch (cause) {
    const status = cause instanceof Error && "status" in cause ? cause.status : undefined;
    if (status === 401 || status === 403) throw tokenRefused();
    throw new GalleyError("AgentFailed", `The MCP server at ${url} cannot be reached.`, {
      hint: "It runs as long as the agent that it was started for.",
      retryable: true,
      cause,
    });
  }
}

/** In bytes: the longest answer, and the longest event of a stream. */
const maxAnswerLength = 64 * 1024 * 1024;

/** Streams may go on as long as the session; an answer in one piece is read up to the limit and no further. */
const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return limitedBody(
    response,
    isStream ? { max: Infinity, maxEventLength: maxAnswerLength } : { max: maxAnswerLength },
  );
};

/** A server that hands everything on to the host: for agents that speak MCP over standard streams only. */
export function mcpBridge(host: Client): Server {
  const server = new Server(mcpServerInfo, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => host.listTools(params));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq: { signal } }) => host.callTool(params, { signal }));
  return server;
}
