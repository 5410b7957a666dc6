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
import { untilAborted } from "../../limits/until-aborted.ts";

/** A reply with calls, and the results so far. */
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
  /** Why calls cannot be served, by their ids: what they ask for could not be read. */
  readonly refused?: Readonly<Record<string, string>> | undefined;
  /** Set when another process began with this step: its first open call may have been under way. */
  readonly isResumed: boolean;
  readonly onCall: (call: ToolCallPart) => void;
  readonly onResult: (part: ToolResultPart) => void;
  /** Called after every call that was served, before the next one. */
  readonly onProgress: (step: Step) => Promise<void>;
}

/** Serves the open calls of a step, in order. A tool that fails gives the model its error, and the run goes on. */
export async function serveStep(step: Step, options: ServeOptions): Promise<Step> {
  const { signal, redact, maxCalls } = options;
  const results = [...step.results];
  const open = callsOf(step.reply).slice(results.length);
  for (const [index, call] of open.entries()) {
    signal.throwIfAborted();
    options.onCall(call);
    const isOver = results.length >= maxCalls;
    const wasBegun = options.isResumed && index === 0;
    const output = isOver ? tooManyCalls(maxCalls) : await serve(call, wasBegun, options);
    const { toolCallId, toolName } = call;
    const part: ToolResultPart = { type: "tool-result", toolCallId, toolName, output: redact(output) };
    results.push(part);
    options.onResult(part);
    // What was not served is not served again either: a thousand of them are no reason to write a thousand times.
    if (!isOver) await options.onProgress({ reply: step.reply, results: results.slice() });
  }
  return { reply: step.reply, results };
}

async function serve(call: ToolCallPart, wasBegun: boolean, options: ServeOptions): Promise<ToolResultOutput> {
  const { toolName, toolCallId, input } = call;
  const { runId, signal, tools } = options;
  const tool = tools.find(({ spec }) => spec.name === toolName);
  if (!tool) {
    const names = tools.map(({ spec }) => spec.name).join(", ");
    return { type: "error-text", value: `There is no tool ${JSON.stringify(toolName)}. There are: ${names}.` };
  }
  const refused = options.refused?.[toolCallId];
  if (refused !== undefined) return { type: "error-text", value: refused };
  if (wasBegun && !tool.isRepeatable) {
    return {
      type: "error-text",
      value: `Interrupted: the program was stopped while ${toolName} may have been at work. Find out whether it took effect before you call it again.`,
    };
  }
  try {
    const work = tool.execute({ runId, callId: toolCallId, input, signal });
    const outcome = await untilAborted(work, signal, options.graceMs);
    if (outcome.kind === "result") return outputOf(outcome.content);
    throw new GalleyError("ToolFailed", `${toolName} waits for others, which no run can do.`, { path: toolName });
  } catch (error) {
    signal.throwIfAborted();
    return { type: "error-json", value: errorValue(error) };
  }
}

/** Why calls are refused, by the ids that they have now; what could not be read is known by their order. */
export function refusedCalls(
  reply: AssistantMessage,
  unreadable: ReadonlyMap<number, string>,
): Readonly<Record<string, string>> {
  const refused = callsOf(reply).flatMap(({ toolCallId }, index) => {
    const why = unreadable.get(index);
    return why === undefined ? [] : [[toolCallId, why] as const];
  });
  return Object.fromEntries(refused);
}

function errorValue(error: unknown): JsonValue {
  if (error instanceof GalleyError) return JSON.parse(JSON.stringify(error)) as JsonValue;
  return { code: "ToolFailed", message: error instanceof Error ? error.message : String(error) };
}

/** In the place of a result. */
export function tooManyCalls(maxCalls: number): ToolResultOutput {
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

/** A step as messages. */
export function messagesOfStep({ reply, results }: Step): readonly ModelMessage[] {
  if (results.length === 0) return [reply];
  const answer: ToolMessage = { role: "tool", content: [...results] };
  return [reply, answer];
}

/** Parts what a run had saved into whole steps and, at the end, one whose calls are not all served. */
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
