import {
  type AssistantMessage,
  GalleyError,
  type JsonValue,
  type ModelMessage,
  type ToolMessage,
} from "@galley/engine";
import type { ToolCallPart, ToolResultOutput, ToolResultPart } from "@galley/engine/messages";
import { outputOf } from "../../tools/run-tool.ts";
import type { LoopTool } from "./loop-tool.ts";
import { untilAborted } from "../../limits/with-timeout.ts";

/** A reply with calls, and the results so far, in the order in which they came. */
export interface Step {
  readonly reply: AssistantMessage;
  readonly results: readonly ToolResultPart[];
}

export interface ServeOptions {
  readonly runId: string;
  readonly tools: readonly LoopTool[];
  readonly maxCalls: number;
  readonly signal: AbortSignal;
  /** Grace period for a tool to stop, in milliseconds. */
  readonly graceMs: number;
  readonly redact: <Value>(value: Value) => Value;
  /** Set when another process began with this step: its first open call may have been under way. */
  readonly isResumed: boolean;
  /** Set where the work is tried again after an error that may pass: the model is not told of such an error. */
  readonly isRetried: boolean;
  /** Lets the time stand still while a call waits for others. */
  readonly standStill: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly onCall: (call: ToolCallPart) => void;
  readonly onResult: (part: ToolResultPart) => void;
  /** Called after every call that was served, before the next one, and at the end where some were not served. */
  readonly onProgress: (step: Step) => Promise<void>;
}

/**
 * Serves the open calls of a step, in order. A tool that fails gives the model its error, and the turn goes on. A call that
 * waits for work that was handed over parks the turn: the calls behind it are served when it is taken up again.
 */
export async function serveStep({ reply, results: given }: Step, options: ServeOptions): Promise<Step | "parked"> {
  const { signal, redact, maxCalls } = options;
  const results = [...given];
  let isFirst = true;
  let isSaved = true;
  for (const [index, call] of callsOf(reply).entries()) {
    const before = given.find(({ toolCallId }) => toolCallId === call.toolCallId);
    // What another process has told of is not told again; what was refused just now is.
    if (before && options.isResumed) continue;
    signal.throwIfAborted();
    options.onCall(call);
    const isServed = !before && index < maxCalls;
    const output = before?.output ?? (isServed ? await serve(call, isFirst, options) : tooManyCalls(maxCalls));
    if (output === "parked") return output;
    if (isServed) isFirst = false;
    const { toolCallId, toolName } = call;
    const part: ToolResultPart = before ?? { type: "tool-result", toolCallId, toolName, output: redact(output) };
    if (!before) results.push(part);
    options.onResult(part);
    // What was not served is not served again either: a thousand of them are no reason to write a thousand times.
    if (isServed) await options.onProgress({ reply, results: results.slice() });
    isSaved = isServed || before !== undefined;
  }
  if (!isSaved) await options.onProgress({ reply, results: results.slice() });
  return { reply, results };
}

async function serve(
  { toolName, toolCallId, input }: ToolCallPart,
  isFirst: boolean,
  options: ServeOptions,
): Promise<ToolResultOutput | "parked"> {
  const { runId, signal, tools } = options;
  const tool = tools.find(({ spec }) => spec.name === toolName);
  if (!tool) {
    const names = tools.map(({ spec }) => spec.name).join(", ");
    return { type: "error-text", value: `There is no tool ${JSON.stringify(toolName)}. There are: ${names}.` };
  }
  if (options.isResumed && isFirst && !tool.isRepeatable) {
    return {
      type: "error-text",
      value: `Interrupted: the program was stopped while ${toolName} may have been at work. Find out whether it took effect before you call it again.`,
    };
  }
  try {
    const work = untilAborted(tool.execute({ runId, callId: toolCallId, input, signal }), signal, options.graceMs);
    const outcome = await (tool.isWaiting ? options.standStill(work) : work);
    return outcome.kind === "parked" ? "parked" : outputOf(outcome.content);
  } catch (error) {
    signal.throwIfAborted();
    if (isForWorker(error, options)) throw error;
    return { type: "error-json", value: errorValue(error) };
  }
}

/** What the model got wrong is for the model to mend. What says that it may pass, or that the work is lost, is not. */
function isForWorker(error: unknown, { isRetried }: ServeOptions): boolean {
  if (!(error instanceof GalleyError)) return false;
  return error.code === "RunLost" || error.code === "TaskLost" || (isRetried && error.retryable);
}

/** Results for the calls that could not be read, which are known by their order, so that no tool is called with them. */
export function refuseCalls(
  reply: AssistantMessage,
  unreadable: ReadonlyMap<number, string>,
): readonly ToolResultPart[] {
  return callsOf(reply).flatMap(({ toolCallId, toolName }, index): ToolResultPart[] => {
    const value = unreadable.get(index);
    if (value === undefined) return [];
    return [{ type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } }];
  });
}

function errorValue(error: unknown): JsonValue {
  if (error instanceof GalleyError) return JSON.parse(JSON.stringify(error)) as JsonValue;
  return { code: "ToolFailed", message: error instanceof Error ? error.message : String(error) };
}

/** In the place of a result. */
function tooManyCalls(maxCalls: number): ToolResultOutput {
  return {
    type: "error-text",
    value: `Not served: one reply may make ${maxCalls} calls. Make the rest in the next reply.`,
  };
}

/** The calls of a reply that are ours to serve. */
export function callsOf({ content }: AssistantMessage): readonly ToolCallPart[] {
  if (typeof content === "string") return [];
  return content.filter((part): part is ToolCallPart => part.type === "tool-call" && !part.providerExecuted);
}

/** A step as messages: the reply, and its results in the order of the calls. */
export function messagesOfStep({ reply, results }: Step): readonly ModelMessage[] {
  if (results.length === 0) return [reply];
  const order = new Map(callsOf(reply).map(({ toolCallId }, index) => [toolCallId, index]));
  const placeOf = ({ toolCallId }: ToolResultPart): number => order.get(toolCallId) ?? order.size;
  const answer: ToolMessage = { role: "tool", content: results.toSorted((a, b) => placeOf(a) - placeOf(b)) };
  return [reply, answer];
}

/** Parts what a turn had saved into whole steps and, at the end, one whose calls are not all served. */
export function splitSteps(saved: readonly ModelMessage[]): {
  readonly whole: readonly ModelMessage[];
  readonly open: Step | undefined;
} {
  const at = saved.findLastIndex(({ role }) => role === "assistant");
  const reply = saved[at];
  if (reply?.role !== "assistant") return { whole: saved, open: undefined };
  const results = saved
    .slice(at + 1)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part): part is ToolResultPart => part.type === "tool-result");
  if (results.length >= callsOf(reply).length) return { whole: saved, open: undefined };
  return { whole: saved.slice(0, at), open: { reply, results } };
}

/** What a tool gave, for whoever watches. */
export function outputValue(output: ToolResultOutput): { readonly value: JsonValue; readonly isError: boolean } {
  switch (output.type) {
    case "text":
    case "json":
      return { value: output.value, isError: false };
    case "error-text":
    case "error-json":
      return { value: output.value, isError: true };
    case "execution-denied":
      return { value: output.reason ?? null, isError: true };
    case "content":
      return { value: JSON.parse(JSON.stringify(output.value)) as JsonValue, isError: false };
  }
}
