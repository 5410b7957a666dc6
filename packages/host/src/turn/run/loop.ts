import { type AssistantMessage, GalleyError, type JsonValue, type ModelMessage, type Problem } from "@galley/engine";
import type { RunEvent, RunResult } from "../../api/run-event.ts";
import { sliceEnd } from "../../limits/in-slices.ts";
import { type TimeLimit, timeLimit } from "../../limits/time-limit.ts";
import { untilAborted } from "../../limits/with-timeout.ts";
import { TextRedactor } from "../../secrets/text-redactor.ts";
import { type BuiltCall, buildCall } from "../call/build-call.ts";
import type { ModelReply, Send } from "../call/call-model.ts";
import { contextStartOf } from "../call/last-build.ts";
import { overflowBudget } from "../call/overflow-budget.ts";
import { learnUsage, recordCall } from "../call/record-call.ts";
import { type TurnSettings, budgetOf } from "../call/resolve-settings.ts";
import type { BuildUsage, CallNumbers } from "../../store/ports/build-store.ts";
import type { LoopPlace } from "../places/turn-place.ts";
import type { LoopServices } from "../services/services.ts";
import {
  type Step,
  messagesOfStep,
  outputValue,
  refuseCalls,
  sanitizeCalls,
  serveStep,
} from "../tools/execute-calls.ts";
import type { ResolvedLimits } from "./run-request.ts";
import { historyOf, saidIn } from "../../handover/pack/pack-history.ts";
import type { PlaceHistory } from "../../tools/tool.ts";

/** How far a turn has come, besides its steps. */
export interface Progress {
  iteration: number;
  calls: readonly number[];
  /** Set after an overflow: fewer tokens than the settings allow. */
  maxInputTokens?: number | undefined;
  usage: RunResult["usage"];
  digest: string;
  /** What the model has said in the call that is under way; a person may stop it there [T17]. */
  said?: string;
  /** The step whose calls are being served. */
  open?: Step | undefined;
}

export const noProgress: Progress = {
  iteration: 0,
  calls: [],
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  digest: "",
};

/** What the loop must know of the stored work that it carries out: a run, or a task. */
export interface Work {
  /** Names the turn: the key begins with it. */
  readonly id: string;
  /** Names the work in the keys of its builds: one that is made again under the same key is recorded once. */
  readonly key: string;
  /** Set for a run; its builds are found by it. */
  readonly runId?: string;
  /** Whether it is tried again after an error that may pass. Otherwise the model is told of such an error of a tool. */
  readonly isRetried: boolean;
  /** Resolves when the work is stored, if that waits for the first record of a build. */
  readonly begun?: Promise<unknown>;
  /** Keeps all steps so far, before anything that follows from them is done. */
  save(steps: readonly ModelMessage[], progress: Progress): Promise<void>;
  /** The same in one commit with the write that follows; resolves when it is stored. */
  saveWithNext?(steps: readonly ModelMessage[], progress: Progress): Promise<void>;
}

/** A turn of any place, ready to be carried out. */
export interface LoopTurn {
  readonly parts: LoopServices;
  readonly work: Work;
  readonly place: LoopPlace;
  readonly plan: TurnSettings;
  readonly send: Send;
  readonly limits: ResolvedLimits;
  /** Aborted when somebody stops the turn. */
  readonly stop: AbortSignal;
  readonly problems: readonly Problem[];
  readonly progress: Progress;
  readonly emit: (event: RunEvent) => void;
}

/** How the loop ends, if nothing is thrown. */
export type LoopEnd =
  | { readonly kind: "reply"; readonly reply: AssistantMessage; readonly finish: RunResult["finish"] }
  | { readonly kind: "limit"; readonly why: string }
  /** A call waits for work that was handed over. It is made again when the turn is taken up again [T1]. */
  | { readonly kind: "parked" };

/** A turn with what ends it from outside: somebody, or its time. */
interface TimedTurn extends LoopTurn {
  readonly signal: AbortSignal;
  readonly time: TimeLimit;
}

/** Carries out a turn from where it stands; `open` is a step whose calls are not all served. */
export async function runLoop(turn: LoopTurn, open: Step | undefined): Promise<LoopEnd> {
  const { limits, stop } = turn;
  const time = timeLimit(limits.maxMilliseconds);
  try {
    return await loop({ ...turn, time, signal: AbortSignal.any([stop, time.signal]) }, open);
  } catch (error) {
    if (!time.signal.aborted || stop.aborted) throw error;
    return { kind: "limit", why: `Its time of ${limits.maxMilliseconds} ms was over before it had an answer.` };
  } finally {
    time.end();
  }
}

/** Build, call, serve, and again, until there is a reply without calls. Everything is saved before it goes on. */
async function loop(turn: TimedTurn, open: Step | undefined): Promise<LoopEnd> {
  const { place, progress, limits } = turn;
  if (open && (await serve(turn, open, true)) === "parked") return { kind: "parked" };
  while (progress.iteration < limits.maxCalls) {
    const { finish, unreadable, ...reply } = await callOnce(turn);
    progress.iteration += 1;
    const message = sanitizeCalls(turn.parts.redactor.redact(reply.message), {
      tools: place.tools,
      earlier: place.steps(),
      switches: place.switches(),
    });
    if (reply.calls.length === 0) return { kind: "reply", reply: message, finish };
    const step = { reply: message, results: refuseCalls(message, unreadable) };
    if ((await serve(turn, step, false)) === "parked") return { kind: "parked" };
  }
  const why = `It called the model ${limits.maxCalls} times, which is its limit, and has no answer yet.`;
  return { kind: "limit", why };
}

/** One call of the model: built, written down, sent; sent again once, smaller, if the provider calls it too long. */
async function callOnce(turn: TimedTurn): Promise<ModelReply> {
  const { parts, place, plan, progress, signal, problems } = turn;
  const pause = sliceEnd();
  const building = buildCall(parts, place, plan, { maxInputTokens: progress.maxInputTokens, problems });
  const built = await untilAborted(building, signal);
  await place.keepDecisions(built.entriesToAppend);
  const numbers = await record(turn, built);
  await pause();
  const { n } = numbers;
  const odd = built.problems.length > 0 ? { problems: parts.redactor.redact(built.problems) } : {};
  turn.emit({ type: "build", session: place.session, ...numbers, digest: built.digest, stats: built.stats, ...odd });
  const session = { projectId: parts.project, sessionId: place.session };
  progress.said = "";
  const words = watchWords(turn);
  const sentAt = parts.now();
  try {
    const reply = await turn.send({
      built,
      signal,
      ...words,
      onSent: (body) => {
        // Beside the call: whether it can be noted says nothing about the reply.
        const raw = parts.redactor.redact(body);
        parts.store.builds.noteSent(session, n, raw, { isLate: true }).catch(() => undefined);
      },
    });
    words.flush();
    if (reply.usage) learn(turn, built, { ...reply.usage, ms: Math.max(0, parts.now() - sentAt) }, n);
    return reply;
  } catch (error) {
    if (!isFirstOverflow(error, progress)) throw error;
    progress.maxInputTokens = overflowBudget(error.message, built.stats.inputTokens);
    turn.emit({ type: "overflow:recovered", reason: error.message });
    return await callOnce(turn);
  }
}

function isFirstOverflow(error: unknown, { maxInputTokens }: Progress): error is GalleyError {
  return error instanceof GalleyError && error.code === "ContextOverflow" && maxInputTokens === undefined;
}

/** Writes down the build and how far the turn has come, in one commit where the work allows it, before the model is called. */
async function record({ parts, work, place, plan, progress }: TimedTurn, built: BuiltCall): Promise<CallNumbers> {
  const { iteration, maxInputTokens } = progress;
  // A build after an overflow is another one; one that is made again after a crash is not.
  const key = `${work.key}/${iteration}/${maxInputTokens ?? "all"}`;
  const { id: turnId, runId } = work;
  const contextStart = contextStartOf(place);
  const call = { session: place.session, key, turnId, plan, contextStart, runId };
  progress.digest = built.digest;
  // The first call of all knows nothing yet that the work was not stored with.
  const isFirst = place.steps().length === 0 && iteration === 0 && maxInputTokens === undefined;
  const saved = isFirst ? work.begun : saveWithNext(work, place.steps(), progress);
  // Who takes the work up again finds the record by its key, and so its number.
  const [numbers] = await Promise.all([recordCall(parts, built, call), saved]);
  if (!progress.calls.includes(numbers.n)) progress.calls = [...progress.calls, numbers.n];
  return numbers;
}

function saveWithNext(work: Work, steps: readonly ModelMessage[], progress: Progress): Promise<void> {
  return work.saveWithNext?.(steps, progress) ?? work.save(steps, progress);
}

/** What the provider has counted: for the record, for the sum, and for the estimates to come. */
function learn(turn: TimedTurn, built: BuiltCall, usage: BuildUsage, n: number): void {
  const { parts, place, plan, progress } = turn;
  learnUsage(parts, { session: place.session, n, built, model: plan.model.id }, usage);
  progress.usage = addUsage(progress.usage, usage);
}

/**
 * Serves the calls of a step. The reply is saved before the first of them, each result before the next one, and the last result
 * with the build of the next call.
 */
async function serve(turn: TimedTurn, step: Step, isResumed: boolean): Promise<"served" | "parked"> {
  const { parts, work, place, limits, signal, time, progress } = turn;
  let switches = place.switches();
  const save = async (present: Step, isLast = false): Promise<void> => {
    progress.open = present;
    const steps = [...place.steps(), ...messagesOfStep(present)];
    // What stands in the way of it stands in the way of the write that follows, too.
    if (isLast && work.saveWithNext) work.saveWithNext(steps, progress).catch(() => undefined);
    else await work.save(steps, progress);
  };
  progress.said = "";
  await save(step);
  const served = await serveStep(step, {
    runId: work.id,
    tools: place.tools,
    caller: { ...place.caller, history: () => historyBefore(turn) },
    maxCalls: limits.maxToolCallsPerReply,
    signal,
    graceMs: parts.limits.toolGraceMs,
    redact: parts.redactor.redact,
    isResumed,
    isRetried: work.isRetried,
    standStill: time.standStill,
    onCall: ({ toolCallId: id, toolName: name, input }) =>
      turn.emit({ type: "tool:call", id, name, input: (input ?? null) as JsonValue }),
    onResult: ({ toolCallId: id, toolName: name, output }) => {
      const { value, isError } = outputValue(output);
      turn.emit({ type: "tool:result", id, name, output: value, isError });
      if (place.switches() > switches) turn.emit({ type: "context:switched", tool: name });
      switches = place.switches();
    },
    onProgress: save,
  });
  if (served === "parked") return served;
  place.add(messagesOfStep(served));
  progress.open = undefined;
  return "served";
}

/** What was said before the step that is served, for an agent that is to know it [A3]. */
function historyBefore({ place, plan }: TimedTurn): PlaceHistory {
  const pending = place.pending().map(({ role, content }) => ({ role, content }) as ModelMessage);
  return historyOf([...saidIn(place.entries()), ...pending], plan.model.tokenizer, budgetOf(plan.config));
}

interface Words {
  readonly onText: (delta: string) => void;
  readonly onReasoning: (delta: string) => void;
  flush(): void;
}

/** Tells what the model says as it says it, without secrets, also where one comes in two pieces [P6]. */
function watchWords({ parts, emit, progress }: TimedTurn): Words {
  const [text, reasoning] = [new TextRedactor(parts.redactor), new TextRedactor(parts.redactor)];
  const tell = (type: "text" | "reasoning", delta: string): void => {
    if (delta === "") return;
    if (type === "text") progress.said = (progress.said ?? "") + delta;
    emit({ type, delta });
  };
  return {
    onText: (delta) => tell("text", text.push(delta)),
    onReasoning: (delta) => tell("reasoning", reasoning.push(delta)),
    flush() {
      tell("reasoning", reasoning.flush());
      tell("text", text.flush());
    },
  };
}

function addUsage(a: RunResult["usage"], b: RunResult["usage"]): RunResult["usage"] {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  };
}
