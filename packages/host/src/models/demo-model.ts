import { setTimeout as wait } from "node:timers/promises";
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { type Tokenizer, tokenizerForModel } from "@galley/engine";
import { type DemoReply, demoReply, promptText } from "./demo-reply.ts";

/** How the demo model answers. */
export interface DemoModelOptions {
  readonly tokenizer?: () => Promise<Tokenizer>;
  /** A prompt above this is refused, as a real provider would. Unlimited if absent. */
  readonly windowTokens?: number;
}

const slowPaceMs = 30;

interface Answer {
  readonly reply: DemoReply;
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
}

/** The model that is built in: it echoes, and calls tools by simple rules. Every reply begins with `[demo]`. */
export function demoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const { tokenizer = () => tokenizerForModel("demo", { family: "o200k_base" }), windowTokens = Infinity } = options;
  const answer = async (call: LanguageModelV4CallOptions): Promise<Answer> => {
    call.abortSignal?.throwIfAborted();
    const counter = await tokenizer();
    const count = (text: string): number => counter.count(text);
    const inputTokens = count(promptText(call.prompt)) + count(JSON.stringify(call.tools ?? []));
    if (inputTokens > windowTokens) throw tooLong(inputTokens, windowTokens);
    return finish(demoReply(call), inputTokens, call.maxOutputTokens, count);
  };
  return {
    specificationVersion: "v4",
    provider: "demo",
    modelId: "demo",
    supportedUrls: {},
    async doGenerate(call) {
      const { reply, ...rest } = await answer(call);
      return { content: [contentOf(reply)], ...rest, warnings: [] };
    },
    async doStream(call) {
      const made = await answer(call);
      const isSlow = made.reply.kind === "text" && made.reply.isSlow;
      const pause = async (): Promise<void> => {
        if (isSlow) await wait(slowPaceMs, undefined, { signal: call.abortSignal });
        call.abortSignal?.throwIfAborted();
      };
      return { stream: ReadableStream.from(streamOf(made, pause)) };
    },
  };
}

function contentOf(reply: DemoReply): LanguageModelV4Content {
  if (reply.kind === "text") return { type: "text", text: reply.text };
  return { type: "tool-call", toolCallId: reply.id, toolName: reply.tool, input: reply.input };
}

function finish(
  whole: DemoReply,
  inputTokens: number,
  maxOutputTokens: number | undefined,
  count: (text: string) => number,
): Answer {
  const reply = whole.kind === "text" ? shorten(whole, maxOutputTokens, count) : whole;
  const outputTokens = count(reply.kind === "text" ? reply.text : `${reply.tool}${reply.input}`);
  const text = reply === whole ? "stop" : "length";
  const unified = reply.kind === "call" ? "tool-calls" : text;
  return {
    reply,
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
    },
  };
}

function shorten(
  reply: Extract<DemoReply, { kind: "text" }>,
  max: number | undefined,
  count: (text: string) => number,
): DemoReply {
  if (max === undefined || count(reply.text) <= max) return reply;
  let left = max;
  const kept = wordsOf(reply.text).filter((word) => (left -= count(word)) >= 0);
  return { ...reply, text: kept.join("") };
}

async function* streamOf(
  { reply, finishReason, usage }: Answer,
  pause: () => Promise<void>,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "response-metadata", modelId: "demo" };
  if (reply.kind === "text") {
    yield { type: "text-start", id: "0" };
    for (const delta of wordsOf(reply.text)) {
      await pause();
      yield { type: "text-delta", id: "0", delta };
    }
    yield { type: "text-end", id: "0" };
  } else {
    await pause();
    const { id, tool, input } = reply;
    yield { type: "tool-input-start", id, toolName: tool };
    yield { type: "tool-input-delta", id, delta: input };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: tool, input };
  }
  yield { type: "finish", finishReason, usage };
}

/** Words with the space behind them; Chinese goes by the character. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
}

function tooLong(tokens: number, windowTokens: number): APICallError {
  const message = `The prompt has ${tokens} tokens, but the context window of demo is ${windowTokens} tokens.`;
  const data = { error: { type: "invalid_request_error", code: "context_length_exceeded", message } };
  return new APICallError({
    message,
    url: "demo:",
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify(data),
    isRetryable: false,
    data,
  });
}
