import { type AssistantMessage, GalleyError, type JsonValue, type ModelMessage } from "@galley/engine";
import type {
  AssistantPart,
  ToolCallPart,
  ToolMessage,
  ToolResultOutput,
  ToolResultPart,
} from "@galley/engine/messages";
import { outputOf, runTool } from "../../tools/run-tool.ts";
import type { Tool, ToolCaller } from "../../tools/tool.ts";
import { untilAborted } from "../../limits/with-timeout.ts";
import { messageOf } from "../../disk/storage-error.ts";

/** A reply with calls, and the results so far, in the order in which they came. */
export interface Step {
  readonly reply: AssistantMessage;
  readonly results: readonly ToolResultPart[];
}

export interface ServeOptions {
  readonly runId: string;
  readonly tools: readonly Tool[];
  readonly caller: ToolCaller;
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
  readonly onProgress: (step: Step, isLast: boolean) => Promise<void>;
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
  const calls = callsOf(reply);
  for (const [index, call] of calls.entries()) {
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
    // What was not served is not served again either: a thousand of them must not cost a thousand writes.
    if (isServed) await options.onProgress({ reply, results: results.slice() }, index === calls.length - 1);
    isSaved = isServed || before !== undefined;
  }
  if (!isSaved) await options.onProgress({ reply, results: results.slice() }, true);
  return { reply, results };
}

async function serve(
  { toolName, toolCallId, input }: ToolCallPart,
  isFirst: boolean,
  options: ServeOptions,
): Promise<ToolResultOutput | "parked"> {
  const { tools } = options;
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(", ");
    return { type: "error-text", value: `There is no tool ${JSON.stringify(toolName)}. There are: ${names}.` };
  }
  if (options.isResumed && isFirst && !tool.isRepeatable) {
    return {
      type: "error-text",
      value: `Interrupted: the program was stopped while ${toolName} may have been at work. Find out whether it took effect before you call it again.`,
    };
  }
  return callTool(tool, input, { ...options, callId: toolCallId });
}

interface CallOptions
  extends
    Pick<ServeOptions, "caller" | "runId" | "signal" | "graceMs">,
    Partial<Pick<ServeOptions, "standStill" | "isRetried">> {
  readonly callId: string;
}

/** One call of a tool: a tool that fails gives its error as the result. */
export async function callTool(
  tool: Tool,
  input: unknown,
  { caller, runId, callId, signal, graceMs, standStill = (work) => work, isRetried = false }: CallOptions,
): Promise<ToolResultOutput | "parked"> {
  try {
    const work = untilAborted(runTool(tool, input, { ...caller, runId, callId, signal }), signal, graceMs);
    const outcome = await (tool.isWaiting ? standStill(work) : work);
    return outcome.kind === "parked" ? "parked" : outputOf(outcome.content);
  } catch (error) {
    signal.throwIfAborted();
    if (isForWorker(error, isRetried)) throw error;
    return { type: "error-json", value: errorValue(error) };
  }
}

/** What the model got wrong is for the model to mend. What says that it may pass, or that the work is lost, is not. */
function isForWorker(error: unknown, isRetried: boolean): boolean {
  if (!(error instanceof GalleyError)) return false;
  return error.code === "RunLost" || error.code === "TaskLost" || (isRetried && error.retryable);
}

/** Results for the calls that could not be read, which are known by their order, so that no tool is called with them. */
export function refuseCalls(
  reply: AssistantMessage,
  unreadable: ReadonlyMap<number, string>,
): readonly ToolResultPart[] {
  return callsOf(reply).flatMap((call, index): ToolResultPart[] => {
    const value = unreadable.get(index);
    return value === undefined ? [] : [unserved(call, value)];
  });
}

function errorValue(error: unknown): JsonValue {
  if (error instanceof GalleyError) return JSON.parse(JSON.stringify(error)) as JsonValue;
  return { code: "ToolFailed", message: messageOf(error) };
}

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

/** A step as messages: the reply, and its results in the order of the calls. */
export function messagesOfStep({ reply, results }: Step): readonly ModelMessage[] {
  if (results.length === 0) return [reply];
  const order = new Map(callsOf(reply).map(({ toolCallId }, index) => [toolCallId, index]));
  const placeOf = ({ toolCallId }: ToolResultPart): number => order.get(toolCallId) ?? order.size;
  const answer: ToolMessage = { role: "tool", content: results.toSorted((a, b) => placeOf(a) - placeOf(b)) };
  return [reply, answer];
}

/** A step that is not served any further: every call has a result, as providers demand. */
export function closeStep({ reply, results }: Step): Step {
  const served = new Set(results.map(({ toolCallId }) => toolCallId));
  const rest = callsOf(reply).filter(({ toolCallId }) => !served.has(toolCallId));
  const value = "Not served: the person stopped the run.";
  return { reply, results: [...results, ...rest.map((call) => unserved(call, value))] };
}

function unserved({ toolCallId, toolName }: ToolCallPart, value: string): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } };
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

/** What a tool gave, for those who follow the run. */
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

/** What every provider takes for the name of a tool. */
const nameRule = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u;
/** In characters; the ids of all providers are shorter. */
const maxIdLength = 128;

export interface SanitizeOptions {
  readonly tools: readonly { readonly name: string }[];
  /** The steps of the run so far, since the last switch of the context. */
  readonly earlier: readonly ModelMessage[];
  readonly switches: number;
}

/** A reply whose calls can be sent back to any provider, and told apart. */
export function sanitizeCalls(
  reply: AssistantMessage,
  { tools, earlier, switches }: SanitizeOptions,
): AssistantMessage {
  if (typeof reply.content === "string") return reply;
  const names = new Set(tools.map(({ name }) => name));
  const used = new Set(
    earlier.flatMap(({ content }) => (typeof content === "string" ? [] : content.flatMap(callIdOf))),
  );
  const content = reply.content.map((part): AssistantPart => {
    if (part.type !== "tool-call" || part.providerExecuted) return part;
    const toolName = sanitizedName(part.toolName, names);
    const toolCallId = uniqueId(part.toolCallId, used, switches);
    return toolName === part.toolName && toolCallId === part.toolCallId ? part : { ...part, toolName, toolCallId };
  });
  return content.every((part, index) => part === reply.content[index]) ? reply : { ...reply, content };
}

/**
 * A model may call what no tool is called, with blanks and control characters, and the request that tells it so would be
 * refused. No such name becomes that of a tool.
 */
function sanitizedName(toolName: string, names: ReadonlySet<string>): string {
  if (names.has(toolName) || nameRule.test(toolName)) return toolName;
  let name = toolName.slice(0, 48).replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
  if (!nameRule.test(name)) name = `_${name}`;
  while (names.has(name)) name += "_";
  return name;
}

/**
 * Some servers count from one in every reply, and results and tasks are found again by the id of their call. The steps before
 * a switch of the context are not among the earlier ones any more; the number of switches in the id tells their calls apart.
 */
function uniqueId(asked: string, used: Set<string>, switches: number): string {
  // Some servers give none, and some give a long text.
  const own = asked.slice(0, maxIdLength) || "call";
  const given = switches === 0 ? own : `${own}-s${switches}`;
  let id = given;
  for (let count = 2; used.has(id); count += 1) id = `${given}-${count}`;
  used.add(id);
  return id;
}

function callIdOf(part: Exclude<ModelMessage["content"], string>[number]): readonly string[] {
  return part.type === "tool-call" ? [part.toolCallId] : [];
}
