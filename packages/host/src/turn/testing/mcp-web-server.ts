import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type McpRequest, mcpAnswer } from "./mcp-answer.ts";

export interface McpWebServer {
  readonly url: string;
  /** The sessions that it knows, each with its key. */
  readonly sessions: (string | undefined)[];
  /** Ends it with all its sessions, as a process does that is killed. */
  stop(): Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse, sessions: (string | undefined)[]) => Promise<void>;

/** A small MCP server over streamable HTTP, or over the HTTP with events of its earlier versions. */
export async function mcpWebServer(type: "http" | "sse", { port = 0, mode = "good" } = {}): Promise<McpWebServer> {
  const sessions: (string | undefined)[] = [];
  const serve = type === "http" ? serveHttp(mode) : serveEvents(mode);
  const server = createServer((request, response) => void serve(request, response, sessions));
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions,
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const keyOf = ({ headers }: IncomingMessage): string | undefined => headers["x-key"]?.toString();

function serveHttp(mode: string): Serve {
  return async (request, response, sessions) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as McpRequest;
    const isFirst = message.method === "initialize";
    const id = Number(request.headers["mcp-session-id"] ?? Number.NaN);
    if (isFirst) sessions.push(keyOf(request));
    // A probe of a later version of the protocol has no session either.
    else if (!(id < sessions.length) && message.method !== "server/discover") return void response.writeHead(404).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const session = isFirst ? { "mcp-session-id": `${sessions.length - 1}` } : {};
    response.writeHead(200, { "content-type": "application/json", ...session });
    response.end(JSON.stringify(mcpAnswer(message, mode)));
  };
}

function serveEvents(mode: string): Serve {
  const streams: ServerResponse[] = [];
  return async (request, response, sessions) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /message?session=${sessions.length}\n\n`);
      sessions.push(keyOf(request));
      return void streams.push(response);
    }
    const message = JSON.parse(await text(request)) as McpRequest;
    const stream = streams[Number(new URL(request.url ?? "", "http://server").searchParams.get("session"))];
    response.writeHead(stream ? 202 : 404).end();
    if (message.id !== undefined)
      stream?.write(`event: message\ndata: ${JSON.stringify(mcpAnswer(message, mode))}\n\n`);
  };
}
