import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import { limitedBody } from "../../limits/limited-body.ts";
import { tokenRefused } from "../tools/tool-session.ts";
import { mcpServerInfo } from "./mcp-server.ts";

const connectLimitMs = 15_000;
/** A tool may wait for other agents for a while; the host has limits of its own. */
const callLimitMs = 15 * 60_000;

/** A connection to the MCP server of a host, with a session's token, in the name of a client. */
export async function connectToHost(url: string, token: string, name = mcpServerInfo.name): Promise<Client> {
  const client = new Client({ ...mcpServerInfo, name }, { versionNegotiation: { mode: "auto" } });
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: limitedFetch,
    });
    await client.connect(transport, { timeout: connectLimitMs });
    return client;
  } catch (cause) {
    if (isRefused(cause)) throw tokenRefused();
    throw new GalleyError("AgentFailed", `The MCP server at ${url} cannot be reached.`, {
      hint: "It runs as long as the agent that it was started for.",
      retryable: true,
      cause,
    });
  }
}

/** Answers what a client asks. Which host that is may change while the client runs. */
export interface McpHosts {
  /** The host of the moment, connected in the name of the client where that is known. */
  current(client?: string): Promise<Client>;
  /** Looks for another host with the next request. */
  drop(): Promise<void>;
}

/** A server that hands everything on to a host: for clients that speak MCP over standard streams only. */
export async function mcpBridge(hosts: McpHosts): Promise<Server> {
  const first = await hosts.current();
  const { tools, resources, prompts, completions } = first.getServerCapabilities() ?? { tools: {} };
  const capabilities = Object.fromEntries(
    Object.entries({ tools, resources, prompts, completions }).filter(([, value]) => value !== undefined),
  );
  const server = new Server(mcpServerInfo, { capabilities, instructions: first.getInstructions() });
  const ask = async <Result>(work: (host: Client) => Promise<Result>): Promise<Result> => {
    const client = server.getClientVersion()?.name;
    try {
      return await work(await hosts.current(client));
    } catch (error) {
      if (!isUnreached(error)) throw error;
      await hosts.drop();
      return work(await hosts.current(client));
    }
  };
  server.setRequestHandler("tools/list", ({ params }) => ask((host) => host.listTools(params)));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq: { signal } }) =>
    ask((host) => host.callTool(params, { signal, timeout: callLimitMs })),
  );
  if (resources) {
    server.setRequestHandler("resources/list", ({ params }) => ask((host) => host.listResources(params)));
    server.setRequestHandler("resources/templates/list", ({ params }) =>
      ask((host) => host.listResourceTemplates(params)),
    );
    server.setRequestHandler("resources/read", ({ params }) => ask((host) => host.readResource(params)));
  }
  if (prompts) {
    server.setRequestHandler("prompts/list", ({ params }) => ask((host) => host.listPrompts(params)));
    server.setRequestHandler("prompts/get", ({ params }) => ask((host) => host.getPrompt(params)));
  }
  if (completions)
    server.setRequestHandler("completion/complete", ({ params }) => ask((host) => host.complete(params)));
  return server;
}

/** Whether a request has surely done nothing: no host was there, or it did not let us in. */
function isUnreached(error: unknown): boolean {
  if (isRefused(error)) return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && cause.code === "ECONNREFUSED") return true;
  }
  return false;
}

function isRefused(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return status === 401 || status === 403;
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
