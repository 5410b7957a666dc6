import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { protocolModels } from "../src/galley/testing/temp-galley.ts";
import { type LlmAnswer, llmProtocols } from "../src/models/testing/llm-protocols.ts";
import type { GalleyConfig } from "../src/config/load-config.ts";

export type ProtocolName = keyof typeof protocolModels;

/** The protocols that models are reached by. */
export const protocolNames = Object.keys(protocolModels) as readonly ProtocolName[];

/** One request, and everything with which it can be answered truly or not. */
export interface Asked {
  readonly protocol: ProtocolName;
  /** How many requests came before this one. */
  readonly n: number;
  readonly response: ServerResponse;
  /** An honest answer as the events of its stream, each as the text that goes out. */
  readonly frames: (answer: LlmAnswer) => string[];
  /** Sends the headers of a stream; gives the response. */
  readonly begin: () => ServerResponse;
  /** Sends an honest answer whole. */
  readonly say: (answer: LlmAnswer) => void;
  /** Writes pieces for ever, as fast as they are taken, until the other side hangs up or so many bytes are out. */
  readonly pour: (next: () => string | Buffer, max?: number) => Promise<void>;
}

export interface LyingModel {
  /** A configuration that knows it by every protocol; the default is the one of OpenAI-compatible servers. */
  readonly config: GalleyConfig;
  /** What it was asked, as it came in. */
  readonly bodies: string[];
  /** How many bytes it has got rid of, at all connections together. */
  readonly sentBytes: () => number;
  /** How many connections were ended before their answer was. */
  readonly hungUp: () => number;
  readonly url: string;
}

/** A real server that speaks the protocols of all providers, and then does what it is told; it ends with the test. */
export async function lyingModel(answer: (asked: Asked) => void | Promise<void>): Promise<LyingModel> {
  const bodies: string[] = [];
  let [sent, left] = [0, 0];
  const server = createServer((incoming, response) => {
    const { socket } = incoming;
    const before = socket.bytesWritten;
    response.on("close", () => {
      sent += socket.bytesWritten - before;
      if (!response.writableFinished) left += 1;
    });
    void readAll(incoming).then((body) => answer(asked(incoming, response, bodies.push(body) - 1)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { config: configFor(url), bodies, sentBytes: () => sent, hungUp: () => left, url };
}

function configFor(url: string): GalleyConfig {
  const models = [{ id: "tiny-1", window: 32_000, output: 500 }];
  const [apiKey, baseUrl] = ["sk-liars-0123456789", `${url}/v1`];
  return {
    models: {
      default: protocolModels["openai-chat"],
      providers: [
        { name: "local", type: "openai-compatible", baseUrl, apiKey, models },
        { name: "openai", type: "openai", baseUrl, apiKey },
        { name: "anthropic", type: "anthropic", baseUrl, apiKey },
        { name: "google", type: "google", baseUrl: `${url}/v1beta`, apiKey },
      ],
    },
  };
}

function asked(incoming: IncomingMessage, response: ServerResponse, n: number): Asked {
  const protocol = llmProtocols.find(({ path }) => path.test(incoming.url ?? ""));
  if (!protocol) throw new Error(`Nobody knows ${incoming.method} ${incoming.url}.`);
  const frames = (given: LlmAnswer): string[] =>
    protocol.stream(given).map(([name, data]) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
    });
  const begin = (): ServerResponse =>
    response.headersSent ? response : response.writeHead(200, { "content-type": "text/event-stream" });
  return {
    protocol: protocol.name as ProtocolName,
    n,
    response,
    frames,
    begin,
    say: (given) => void begin().end(frames(given).join("")),
    async pour(next, max = Infinity) {
      begin();
      for (let bytes = 0; bytes < max && !response.destroyed;) {
        const piece = next();
        bytes += piece.length;
        if (!response.write(piece)) await drained(response);
      }
    },
  };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.once("drain", go).once("close", go);
  });
}
