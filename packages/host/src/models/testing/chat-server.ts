import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { startScriptedServer } from "./scripted-server.ts";

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

/** A server with a provider of the AI SDK in front. */
export async function startChatServer(): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  let abortedBefore = 0;
  let answerTo: (request: ChatRequest) => ChatAnswer = summariseMarkedSentences;
  const server = await startScriptedServer(({ json, say, refuse }) => {
    requests.push(json as ChatRequest);
    const answer = answerTo(json as ChatRequest);
    if (typeof answer === "number") refuse(answer, { error: { message: "out of order" } });
    else if (answer !== undefined) say({ text: answer });
  });
  const provider = createOpenAICompatible({ name: "local", baseURL: `${server.url}/v1` });
  return {
    model: provider("tiny-1"),
    requests,
    aborted: () => server.hungUp() - abortedBefore,
    answerWith: (answer) => {
      answerTo = answer;
      requests.length = 0;
      abortedBefore = server.hungUp();
    },
    close: () => server.close(),
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
