import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A message of JSON-RPC, as far as a liar looks at it. */
export interface RpcCall {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Heard {
  readonly call: RpcCall;
  readonly response: ServerResponse;
  /** The honest way to answer. */
  readonly answer: (result: object) => void;
  /** Sends pieces until nobody takes them any more, or this many bytes are out. */
  readonly pour: (piece: Buffer, max: number) => Promise<void>;
}

export interface LyingMcp {
  readonly url: string;
  readonly sentBytes: () => number;
}

/** A real MCP server over HTTP that is honest until the lie takes over; the lie gives true when it has answered. */
export async function lyingMcp(lie: (heard: Heard) => boolean | Promise<boolean>): Promise<LyingMcp> {
  let sent = 0;
  const server = createServer((incoming, response) => {
    const { socket } = incoming;
    const before = socket.bytesWritten;
    response.on("close", () => (sent += socket.bytesWritten - before));
    if (incoming.method !== "POST") return void response.writeHead(405).end();
    void readAll(incoming).then(async (body) => {
      response.setMaxListeners(0);
      const call = JSON.parse(body) as RpcCall;
      const answer = (result: object): void => reply(response, { jsonrpc: "2.0", id: call.id, result });
      const pour = async (piece: Buffer, max: number): Promise<void> => {
        for (let bytes = 0; bytes < max && !response.destroyed; bytes += piece.length) {
          if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
        }
      };
      if (!(await lie({ call, response, answer, pour }))) honest(call, response, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sentBytes: () => sent };
}

function honest({ id, method }: RpcCall, response: ServerResponse, answer: Heard["answer"]): void {
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: "liar", version: "1" };
  if (method === "initialize") answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
  else if (method === "tools/list") answer({ tools: [tool("note")] });
  else if (method === "tools/call") answer({ content: [{ type: "text", text: "noted" }] });
  else reply(response, { jsonrpc: "2.0", id, error: { code: -32_601, message: "No such method." } });
}

export function tool(name: string): object {
  return { name, description: "Notes something.", inputSchema: { type: "object" } };
}

export function reply(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function once(response: ServerResponse, event: "drain" | "close"): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
