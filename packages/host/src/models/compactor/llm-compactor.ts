import { type CompactionRequest, type Compactor, GalleyError } from "@galley/engine";
import type { LanguageModel } from "ai";
import { compactionInstructions, compactionPrompt, quoteData } from "./compaction-prompt.ts";
import { cutEnd, cutMiddle, wholeSentences } from "./cut-to-tokens.ts";
import { nextChunk } from "./next-chunk.ts";
import { transcribeMessage } from "./transcribe-message.ts";
import { compactorTimeout } from "./time-limited-compactor.ts";
import { withTimeout } from "../../limits/with-timeout.ts";

/** Which model writes summaries, and how. */
export interface LlmCompactorOptions {
  readonly model: LanguageModel;
  /** The window of this model, which need not be the one that the summary is for. */
  readonly windowTokens: number;
  /** What the model may write, its reasoning included. By default 4,000, or a quarter of a small window. */
  readonly maxOutputTokens?: number;
  /** For the whole compaction, however many requests it takes. By default two minutes. */
  readonly timeLimitMs?: number;
  /** What this summary in particular should heed. */
  readonly instructions?: string;
}

/** Share of the window that is used: tokenizers differ, and providers add some tokens of their own. */
const usable = 0.9;
const minRoom = 100;

interface Summariser extends LlmCompactorOptions {
  readonly id: string;
  readonly maxOutputTokens: number;
}

/**
 * A compactor that lets a model write the summary, in as many requests as the model's window makes necessary. It rejects
 * with `CompactionFailed`; whoever asked goes on without a summary [F9].
 */
export function llmCompactor(options: LlmCompactorOptions): Compactor {
  const { model, windowTokens, timeLimitMs = 120_000 } = options;
  const id = `llm:${typeof model === "string" ? model : model.modelId}`;
  const { maxOutputTokens = Math.min(4000, Math.floor(windowTokens / 4)) } = options;
  const summariser: Summariser = { ...options, id, maxOutputTokens };
  return {
    id,
    compact: (request) =>
      withTimeout((signal) => summarise(summariser, request, signal), compactorTimeout(id, timeLimitMs)),
  };
}

async function summarise(summariser: Summariser, request: CompactionRequest, signal: AbortSignal): Promise<string> {
  const { maxTokens, previousSummary = "" } = request;
  if (!(maxTokens >= 1)) return "";
  const count = (text: string): number => request.countTokens(quoteData(text));
  const room = roomFor(summariser, request);
  // Half of the room at most, or an earlier summary could leave none for what is new.
  let summary = cutMiddle(previousSummary.trim().toWellFormed(), Math.floor(room / 2), count);
  let waiting: readonly string[] = request.messages.flatMap((message) => transcribeMessage(message) ?? []);
  while (waiting.length > 0) {
    const { transcript, rest } = nextChunk(waiting, room - count(summary), count);
    waiting = rest;
    const answer = await ask(
      summariser,
      { transcript, earlierSummary: summary, length: lengthFor(summariser, maxTokens) },
      signal,
    );
    summary = cutEnd(answer, Math.min(maxTokens, Math.floor(room / 2)), count);
  }
  return cutEnd(summary, maxTokens, (text) => request.countTokens(text));
}

/** A little less than is allowed, because models do not count well. */
function lengthFor({ maxOutputTokens }: Summariser, maxTokens: number): number {
  return Math.max(1, Math.floor(Math.min(maxTokens, maxOutputTokens) * 0.8));
}

/** How many tokens of earlier summary and transcript one request can hold. */
function roomFor({ id, windowTokens, maxOutputTokens, instructions }: Summariser, request: CompactionRequest): number {
  const frame = compactionPrompt({ transcript: "", earlierSummary: " ", length: request.maxTokens });
  const fixed = request.countTokens(compactionInstructions(instructions)) + request.countTokens(frame);
  const room = Math.floor((windowTokens - maxOutputTokens) * usable) - fixed;
  if (room >= minRoom) return room;
  throw new GalleyError("CompactionFailed", `The window of ${id} has no room for a transcript (${room} tokens).`, {
    hint: `windowTokens is ${windowTokens}, of which ${maxOutputTokens} are kept for the answer and ${fixed} for the prompt.`,
    path: "windowTokens",
  });
}

async function ask(
  { id, model, maxOutputTokens, instructions }: Summariser,
  parts: Parameters<typeof compactionPrompt>[0],
  abortSignal: AbortSignal,
): Promise<string> {
  const failed = (what: string, options: { retryable: boolean; cause?: unknown }): GalleyError =>
    new GalleyError("CompactionFailed", `The compactor ${id} ${what}.`, {
      hint: "Check that the model can be reached; without a summary the oldest messages are dropped.",
      ...options,
    });
  const { APICallError, RetryError, generateText } = await import("ai");
  let answer: { readonly text: string; readonly finishReason: string };
  try {
    answer = await generateText({
      model,
      instructions: compactionInstructions(instructions),
      prompt: compactionPrompt(parts),
      temperature: 0,
      maxOutputTokens,
      maxRetries: 1,
      abortSignal,
    });
  } catch (error) {
    const cause = RetryError.isInstance(error) ? error.lastError : error;
    const status =
      APICallError.isInstance(cause) && cause.statusCode !== undefined ? ` (HTTP ${cause.statusCode})` : "";
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw failed(`failed${status}: ${detail}`, {
      cause,
      retryable: APICallError.isInstance(cause) && cause.isRetryable,
    });
  }
  // Some servers give a model's reasoning as part of its text.
  const text = answer.text
    .replace(/^\s*<think>[\s\S]*?<\/think>/u, "")
    .trim()
    .toWellFormed();
  if (text === "") throw failed(`gave no text (finish reason: ${answer.finishReason})`, { retryable: true });
  return answer.finishReason === "length" ? wholeSentences(text) : text;
}
