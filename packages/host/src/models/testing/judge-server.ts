import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { llmProtocols } from "./llm-protocols.ts";
import { judgeAnthropic } from "./judge-anthropic.ts";
import { judgeGemini } from "./judge-gemini.ts";
import { judgeOpenAiChat } from "./judge-openai-chat.ts";
import { judgeOpenAiResponses } from "./judge-openai-responses.ts";
import { type Ruling, judge } from "./ruling.ts";

export interface JudgeServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  /** How many requests came, by protocol. */
  readonly heard: Map<string, number>;
  close(): Promise<void>;
}

const judges: Readonly<Record<string, (body: unknown) => readonly Ruling[]>> = {
  "openai-chat": (body) => judge(judgeOpenAiChat, body),
  "openai-responses": (body) => judge(judgeOpenAiResponses, body),
  anthropic: (body) => judge(judgeAnthropic, body),
  gemini: (body) => judge(judgeGemini, body),
};

/** For what a provider would refuse the body of a request; nothing when it would take it. */
export function judgeRequest(protocol: string, body: unknown): readonly Ruling[] {
  return judges[protocol]?.(body) ?? [{ path: "", why: "nobody judges this protocol" }];
}

/** A server that takes requests as the providers would: what they refuse gets HTTP 400 with every reason. */
export async function startJudge(): Promise<JudgeServer> {
  const heard = new Map<string, number>();
  const server = createServer((incoming, response) => {
    const protocol = llmProtocols.find(({ path }) => path.test(incoming.url ?? ""));
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (!protocol) return answer(404, { error: { message: `No such thing here: ${incoming.url}` } });
    void json(incoming).then((body) => {
      heard.set(protocol.name, (heard.get(protocol.name) ?? 0) + 1);
      const rulings = judgeRequest(protocol.name, body);
      if (
        rulings.length === 0 &&
        !protocol.isStreaming(body as Readonly<Record<string, unknown>>, incoming.url ?? "")
      ) {
        return answer(200, protocol.whole({ text: "Taken." }));
      }
      if (rulings.length === 0) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const [name, data] of protocol.stream({ text: "Taken." })) {
          const text = typeof data === "string" ? data : JSON.stringify(data);
          response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
        }
        return response.end();
      }
      const message = rulings.map(({ path, why }) => `${path}: ${why}`).join("; ");
      return answer(400, {
        type: "error",
        error: { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
