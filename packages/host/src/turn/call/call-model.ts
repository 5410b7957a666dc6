import { type AssistantMessage, GalleyError, exportFor } from "@galley/engine";
import type { AssistantPart, ToolCallPart } from "@galley/engine/messages";
import type { LanguageModelMiddleware } from "ai";
import type { ModelOptions } from "../../api/model-options.ts";
import type { RunResult } from "../../api/run-event.ts";
import { untilAborted } from "../../limits/with-timeout.ts";
import { readModelError } from "../../models/read-model-error.ts";
import { callsOf } from "../tools/execute-calls.ts";
import type { BuiltCall } from "./build-call.ts";
import { type CollectedReply, collectReply } from "./collect-reply.ts";
import type { ModelFacts } from "./resolve-model.ts";
import { withWire } from "./wire-fetch.ts";
import type { ResolvedModel } from "../../models/models.ts";

/** A call that was built, on its way to the model or command that answers it. */
export interface SentCall {
  readonly built: Pick<BuiltCall, "messages" | "tools" | "stats" | "stablePrefix">;
  readonly signal: AbortSignal;
  readonly onText?: (delta: string) => void;
  readonly onReasoning?: (delta: string) => void;
  /** The request's body as it goes out; again when it is sent again. */
  readonly onSent?: (body: string) => void;
}

/** Sends a call and gives the reply, and rejects soon after its signal: a model is one way, a worker's command is another. */
export type Send = (call: SentCall) => Promise<ModelReply>;

/** Sends calls to a model. A server that does not listen to the signal is not waited for. */
export function sendToModel(model: ModelCall["model"], modelOptions: ModelOptions = {}): Send {
  return (call) => untilAborted(callModel({ ...call, model, modelOptions }), call.signal);
}

export interface ModelCall extends SentCall {
  readonly model: ModelFacts & { readonly resolved: ResolvedModel };
  readonly modelOptions: ModelOptions;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  /** Calls that are ours to serve. */
  readonly calls: readonly ToolCallPart[];
  /** Why calls could not be read, by their place among the calls: the model is told, and no tool is called. */
  readonly unreadable: ReadonlyMap<number, string>;
  readonly finish: RunResult["finish"];
  /** What the provider has counted; absent for a command, which counts nothing. */
  readonly usage?: RunResult["usage"];
}

/** Calls the model once and gives its whole reply; throws errors of ours. What came before an error is thrown away. */
async function callModel(call: ModelCall): Promise<ModelReply> {
  const { model, built, signal } = call;
  const { resolved, wire } = model;
  const { messages, tools } = built;
  signal.throwIfAborted();
  // The stable prefix ends behind this message: where a provider caches only what is marked, it is marked there.
  const cacheBreakpoints = built.stablePrefix > 0 ? [built.stablePrefix - 1] : [];
  const input = { messages, tools, cacheBreakpoints, model: model.id };
  try {
    return await withWire(wire, input, call.onSent ?? (() => undefined), () => stream(call, resolved));
  } catch (error) {
    signal.throwIfAborted();
    throw readModelError(error, resolved);
  }
}

// Warnings of the SDK are about what it leaves out of a request; ours are part of a build.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const retries = 2;

async function stream(call: ModelCall, resolved: ResolvedModel): Promise<ModelReply> {
  const { id } = call.model;
  const { parts, unreadable, finish, usage } = await send(call, resolved);
  const message = messageOf(parts);
  if (finish === "interrupted") throw brokenReply(id);
  const calls = callsOf(message);
  if (calls.length === 0 && !partsOf(message).some(isSaid)) throw emptyReply(id, finish);
  const unread = calls.flatMap(({ toolName }, index) =>
    unreadable.has(index) ? [[index, unreadableCall(toolName)] as const] : [],
  );
  return { message, calls, unreadable: new Map(unread), finish: finishOf(finish), usage: usageOf(usage) };
}

/**
 * Sends the call by the AI SDK, which makes the model's prompt of our messages, tries again where the server did not begin to
 * answer, and fetches files. The stream is read here: the SDK's own stages for streams cost more than the rest of the call.
 */
async function send(call: ModelCall, resolved: ResolvedModel): Promise<CollectedReply> {
  const { model, built, signal, modelOptions, onText, onReasoning } = call;
  const { wire } = resolved;
  const { maxOutputTokens, ...options } = modelOptions;
  const providerOptions = mergedOptions(resolved.providerOptions, options.providerOptions);
  // The AI SDK's own rules come before what our exporters send: it must not give up over what they put right.
  const { request } = exportFor("ai-sdk", { ...built, behind: wire === "ai-sdk" ? undefined : wire });
  const { generateText, wrapLanguageModel } = await import("ai");
  let reading: Promise<CollectedReply> | undefined;
  const collecting: LanguageModelMiddleware = {
    wrapGenerate: async ({ doStream }) => {
      const { stream: parts } = await doStream();
      // What fails from here on is not tried again: words may have been told. So it is thrown behind the SDK's back.
      reading = collectReply(parts, { model: model.id, signal, onText, onReasoning });
      const content = await reading.then(
        ({ files }) => files.map(({ given }) => given),
        () => [],
      );
      return { content, ...unsaid };
    },
  };
  const { content } = await generateText({
    model: wrapLanguageModel({ model: resolved.model, middleware: collecting }),
    ...request,
    maxRetries: retries,
    abortSignal: signal,
    ...options,
    ...roomFor(model, built.stats.inputTokens, maxOutputTokens),
    providerOptions,
  });
  signal.throwIfAborted();
  const reply = await (reading as Promise<CollectedReply>);
  const fetched = content.flatMap((part) => ("file" in part ? [part.file.base64] : []));
  for (const [index, { kept }] of reply.files.entries()) kept.data = fetched[index] ?? "";
  return reply;
}

const unknown = undefined;
/** What the SDK is told of a reply besides its files. */
const unsaid = {
  finishReason: { unified: "other" as const, raw: unknown },
  usage: {
    inputTokens: { total: unknown, noCache: unknown, cacheRead: unknown, cacheWrite: unknown },
    outputTokens: { total: unknown, text: unknown, reasoning: unknown },
  },
  warnings: [],
};

/** The package of the provider gives such a call empty arguments, which the model has not asked for. */
function unreadableCall(tool: string): string {
  return `Not served: the arguments of ${tool} are not valid JSON. Call it again with a whole JSON object.`;
}

/** The stream ended in good order, but the reply in it did not. */
function brokenReply(model: string): GalleyError {
  return new GalleyError("ModelFailed", `${model} broke off in the middle of its reply.`, {
    path: "model",
    hint: "Nothing of it was kept: try again.",
    retryable: true,
  });
}

/** What the window leaves for the reply, where the window is known. */
function roomFor({ info }: ModelFacts, inputTokens: number, asked?: number): { maxOutputTokens?: number } {
  if (!info.isKnown) return asked === undefined ? {} : { maxOutputTokens: asked };
  const left = info.window - inputTokens;
  return { maxOutputTokens: Math.max(minReply, Math.min(info.output, left, asked ?? Infinity)) };
}

type ProviderOptions = ResolvedModel["providerOptions"];

/** What every call is sent with and what a request asks for, by provider and name; the request's win. */
function mergedOptions(usual: ProviderOptions, asked: ModelOptions["providerOptions"]): ProviderOptions {
  if (asked === undefined) return usual;
  const names = new Set([...Object.keys(usual ?? {}), ...Object.keys(asked)]);
  return Object.fromEntries([...names].map((name) => [name, { ...usual?.[name], ...asked[name] }]));
}
const minReply = 16;

/** All that the assistant said as one message; results of tools that the provider ran stay in it. */
function messageOf(parts: CollectedReply["parts"]): AssistantMessage {
  const said = parts.filter((part) => part.type !== "text" || part.text !== "" || part.providerOptions);
  const [first] = said;
  if (said.length === 1 && first?.type === "text" && first.providerOptions === undefined)
    return { role: "assistant", content: first.text };
  // Fields without a value would be written, and hashed, as such.
  return JSON.parse(JSON.stringify({ role: "assistant", content: said })) as AssistantMessage;
}

function partsOf({ content }: AssistantMessage): readonly AssistantPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isSaid(part: AssistantPart): boolean {
  return part.type === "file" || (part.type === "text" && part.text.trim() !== "");
}

function emptyReply(model: string, finish: string): GalleyError {
  const isLong = finish === "length";
  return new GalleyError("ModelFailed", `${model} gave no text (finish reason: ${finish}).`, {
    path: "model",
    hint: isLong
      ? "It ran out of room before it said anything: give a smaller budget."
      : "Try again, or take another model.",
    retryable: !isLong,
  });
}

function finishOf(reason: string): RunResult["finish"] {
  if (reason === "stop" || reason === "tool-calls") return "stop";
  return reason === "length" || reason === "content-filter" ? reason : "other";
}

function usageOf(usage: CollectedReply["usage"]): RunResult["usage"] {
  return {
    inputTokens: tokenCount(usage?.inputTokens.total),
    outputTokens: tokenCount(usage?.outputTokens.total),
    cachedInputTokens: tokenCount(usage?.inputTokens.cacheRead),
  };
}

/** What cannot be a number of tokens is not known: sums and estimates are made of these. */
function tokenCount(reported: number | undefined): number {
  return reported !== undefined && Number.isSafeInteger(reported) && reported >= 0 && reported <= maxTokens
    ? reported
    : 0;
}
const maxTokens = 1_000_000_000;

export function textOfReply(message: AssistantMessage): string {
  return partsOf(message)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("");
}
