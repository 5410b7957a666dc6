import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { type LlmAnswer, type LlmProtocol, type LlmRequest, llmProtocols } from "./llm-protocols.ts";

/** One request to a model, and everything with which a test can answer it, truly or not. */
export interface Asked {
  readonly protocol: LlmProtocol;
  /** How many requests came before this one. */
  readonly n: number;
  readonly request: LlmRequest;
  readonly json: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** An honest answer as the events of its stream, each as the text that goes out. */
  readonly frames: (answer: LlmAnswer) => string[];
  /** Sends the headers of a stream; gives the response. */
  readonly begin: () => ServerResponse;
  /** Sends an honest answer, as a stream if the request asked for one. */
  readonly say: (answer: LlmAnswer) => void;
  readonly refuse: (status: number, body: object) => void;
}

export interface ScriptedServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  /** What it was asked, as it came in. */
  readonly bodies: string[];
  /** Requests that no protocol knows, as method and path. */
  readonly unknown: string[];
  /** How many bytes it has sent, at all connections together. */
  readonly sentBytes: () => number;
  /** How many connections were ended before their answer was. */
  readonly hungUp: () => number;
  close(): Promise<void>;
}

/**
 * A real server on a free port that speaks the protocols of Anthropic, OpenAI (chat and responses) and Google, streaming
 * included, in front of a "model" that is a function. All stand-ins for providers are made of it.
 */
export async function startScriptedServer(answer: (asked: Asked) => void | Promise<void>): Promise<ScriptedServer> {
  const bodies: string[] = [];
  const unknown: string[] = [];
  let [sent, left] = [0, 0];
  const server = createServer((incoming, response) => {
    const { socket } = incoming;
    const before = socket.bytesWritten;
    response.on("close", () => {
      sent += socket.bytesWritten - before;
      if (!response.writableFinished) left += 1;
    });
    const url = incoming.url ?? "";
    const protocol = incoming.method === "POST" ? llmProtocols.find(({ path }) => path.test(url)) : undefined;
    if (!protocol) {
      unknown.push(`${incoming.method} ${url}`);
      return answerJson(response, 404, { error: { type: "not_found_error", message: "No such thing here." } });
    }
    void readBody(incoming).then((body) => answer(asked({ protocol, response, body, url, n: bodies.push(body) - 1 })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    unknown,
    sentBytes: () => sent,
    hungUp: () => left,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Received {
  readonly protocol: LlmProtocol;
  readonly response: ServerResponse;
  readonly body: string;
  readonly url: string;
  readonly n: number;
}

function asked({ protocol, response, body, url, n }: Received): Asked {
  const json = JSON.parse(body) as Asked["json"];
  const frames = (given: LlmAnswer): string[] =>
    protocol.stream(given).map(([name, data]) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
    });
  const begin = (): ServerResponse =>
    response.headersSent ? response : response.writeHead(200, { "content-type": "text/event-stream" });
  return {
    protocol,
    n,
    request: { protocol: protocol.name, ...protocol.read(json) },
    json,
    response,
    frames,
    begin,
    say: (given) => {
      if (protocol.isStreaming(json, url)) begin().end(frames(given).join(""));
      else answerJson(response, 200, protocol.whole(given));
    },
    refuse: (status, error) => answerJson(response, status, error),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const body = await buffer(incoming);
  return (incoming.headers["content-encoding"] === "zstd" ? zstdDecompressSync(body) : body).toString("utf8");
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
