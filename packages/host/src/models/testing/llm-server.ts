import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { type LlmAnswer, type LlmProtocol, type LlmRequest, type LlmTrouble, llmProtocols } from "./llm-protocols.ts";

export interface LlmServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  readonly requests: LlmRequest[];
  /** The same requests as they came in. */
  readonly bodies: string[];
  /** Requests that no protocol knows, as method and path. */
  readonly unknown: string[];
  close(): Promise<void>;
}

/**
 * A real server on a free port that speaks the protocols of Anthropic, OpenAI (chat and responses) and Google, streaming
 * included, in front of a "model" that is a function.
 */
export async function startLlmServer(
  model: (request: LlmRequest) => LlmAnswer | LlmTrouble | Promise<LlmAnswer | LlmTrouble>,
): Promise<LlmServer> {
  const requests: LlmRequest[] = [];
  const bodies: string[] = [];
  const unknown: string[] = [];
  const server = createServer((incoming, response) => {
    void readBody(incoming).then(async (body) => {
      const url = incoming.url ?? "";
      const protocol = incoming.method === "POST" ? llmProtocols.find(({ path }) => path.test(url)) : undefined;
      if (!protocol) {
        unknown.push(`${incoming.method} ${url}`);
        return answerJson(response, 404, { error: { type: "not_found_error", message: "No such thing here." } });
      }
      const json = JSON.parse(body) as Record<string, unknown>;
      const request = { protocol: protocol.name, ...protocol.read(json) };
      requests.push(request);
      bodies.push(body);
      const answer = await model(request);
      if ("status" in answer) return answerJson(response, answer.status, { error: { message: answer.error } });
      if ("stalledText" in answer) return stall(response, protocol, answer.stalledText);
      if (!protocol.isStreaming(json, url)) return answerJson(response, 200, protocol.whole(answer));
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      for (const [name, data] of protocol.stream(answer)) {
        const text = typeof data === "string" ? data : JSON.stringify(data);
        response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bodies,
    unknown,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The first events of a stream, and then nothing. */
function stall(response: ServerResponse, protocol: LlmProtocol, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of protocol.stream({ text }).slice(0, protocol.name === "openai-chat" ? 2 : 3)) {
    const json = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${json}\n\n`);
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  if (incoming.headers["content-encoding"] !== "zstd") return readAll(incoming);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return zstdDecompressSync(Buffer.concat(chunks)).toString("utf8");
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/**
 * A model that calls the tool of this name once, when it is offered under whatever prefix, and then repeats what the tool
 * gave.
 */
export function toolCallingModel(toolName: string, input: Readonly<Record<string, unknown>>) {
  return ({ tools, toolResults }: LlmRequest): LlmAnswer => {
    const result = toolResults.at(-1);
    if (result !== undefined) return { text: `The tool said: ${result}` };
    const tool = tools.find(({ name }) => name.endsWith(toolName));
    return tool ? { tool, input } : { text: "There is no such tool." };
  };
}
