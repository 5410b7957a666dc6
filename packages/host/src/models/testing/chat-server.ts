import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";

/** The body of a chat-completions request, as far as the tests look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [field: string]: unknown;
}

/** A text, an HTTP status for a failure, or nothing for no answer at all. */
type ChatAnswer = string | number | undefined;

export interface ChatServer {
  readonly model: LanguageModel;
  readonly requests: ChatRequest[];
  /** How many connections were given up by the client before they were answered. */
  readonly aborted: () => number;
  /** Says what the model answers from now on, and forgets the requests so far. */
  answerWith(answer: (request: ChatRequest) => ChatAnswer): void;
  close(): Promise<void>;
}

/** A real server on a free port that speaks the chat-completions protocol, with a provider of the AI SDK in front. */
export async function startChatServer(): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  let aborted = 0;
  let answerTo: (request: ChatRequest) => ChatAnswer = summariseMarkedSentences;
  const server = createServer((incoming, response) => {
    response.on("close", () => (aborted += response.writableEnded ? 0 : 1));
    void readBody(incoming).then((body) => {
      const request = JSON.parse(body) as ChatRequest;
      requests.push(request);
      const answer = answerTo(request);
      if (answer === undefined) return;
      const status = typeof answer === "number" ? answer : 200;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(typeof answer === "number" ? { error: { message: "out of order" } } : reply(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createOpenAICompatible({ name: "local", baseURL: `http://127.0.0.1:${port}/v1` });
  return {
    model: provider("tiny-1"),
    requests,
    aborted: () => aborted,
    answerWith: (answer) => {
      answerTo = answer;
      requests.length = 0;
      aborted = 0;
    },
    close: () => closeServer(server),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function reply(content: string): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "tiny-1",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** What stands between the tags of the user message. */
export function quoted({ messages }: ChatRequest, tag: "transcript" | "earlier_summary"): string {
  const text = messages.find(({ role }) => role === "user")?.content ?? "";
  return text.match(new RegExp(`<${tag}>\n([\\s\\S]*)\n</${tag}>`, "u"))?.[1] ?? "";
}

const marked = /\d|decid|must|owner|\/|[?？]|决定|负责人/u;

/** A "model" that can be predicted: it keeps the earlier summary and every sentence with a mark, each once. */
export function summariseMarkedSentences(request: ChatRequest): string {
  const sentences = quoted(request, "transcript").split(/\n|(?<=[.?!])\s+|(?<=[。？！])/u);
  const kept = sentences.filter((sentence) => marked.test(sentence)).map((sentence) => sentence.slice(0, 200));
  const lines = new Set([...quoted(request, "earlier_summary").split("\n"), ...kept]);
  return [...lines].filter((line) => line !== "").join("\n") || "Small talk.";
}
