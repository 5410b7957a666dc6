import { type AssistantMessage, type JsonValue, type Problem, GalleyError } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold } from "../../store/ports/run-store.ts";
import type { ResolvedModel } from "../../models/models.ts";
import { TextRedactor } from "../../secrets/text-redactor.ts";
import { type BuiltCall, buildCall } from "../call/build-call.ts";
import { type ModelReply, callModel } from "../call/call-model.ts";
import type { Services } from "../services/services.ts";
import { type ModelFacts, calibrationOf } from "../call/resolve-model.ts";
import { withNamedCalls } from "../tools/sanitize-tool-names.ts";
import { overflowBudget } from "../call/overflow-budget.ts";
import { recordCall, recordUsage } from "../call/record-call.ts";
import type { RunHandle } from "./run-handle.ts";
import type { ResolvedLimits } from "./run-request.ts";
import { type Step, messagesOfStep, outputValue, refusedCalls, serveStep } from "../tools/execute-calls.ts";
import type { OpenPlace } from "../places/turn-place.ts";
import type { TurnSettings } from "../call/resolve-settings.ts";
import { withUniqueCalls } from "../tools/unique-call-ids.ts";
import { untilAborted } from "../../limits/until-aborted.ts";

/** How far a run has come, besides its steps. */
export interface Progress {
  iteration: number;
  calls: readonly number[];
  /** After an overflow: at most so many tokens are sent. */
  atMost?: number | undefined;
  usage: RunResult["usage"];
  digest: string;
  /** Why calls of the present step cannot be served, by their ids. */
  refused?: Readonly<Record<string, string>> | undefined;
}

export interface LoopRun {
  readonly parts: Services;
  readonly handle: RunHandle;
  readonly hold: RunHold;
  readonly place: OpenPlace;
  readonly plan: TurnSettings & { readonly model: ModelFacts & { readonly resolved: ResolvedModel } };
  readonly limits: ResolvedLimits;
  /** Aborted with the run, and when its time is over. */
  readonly signal: AbortSignal;
  readonly problems: readonly Problem[];
  readonly progress: Progress;
}

export interface LoopEnd {
  readonly reply: AssistantMessage;
  readonly finish: RunResult["finish"];
}

/** Build, call, serve, and again, until there is a reply without calls. Everything is saved before it goes on. */
export async function runLoop(run: LoopRun, open: Step | undefined): Promise<LoopEnd> {
  const { place, progress, limits } = run;
  if (open) await serve(run, open, true);
  while (progress.iteration < limits.maxCalls) {
    const reply = await callOnce(run);
    progress.iteration += 1;
    const redacted = run.parts.redactor.redact(reply.message);
    const specs = place.tools.map(({ spec }) => spec);
    const message = withUniqueCalls(withNamedCalls(redacted, specs), place.steps(), place.switches());
    if (reply.calls.length === 0) return { reply: message, finish: reply.finish };
    progress.refused = refusedCalls(message, reply.unreadable);
    await serve(run, { reply: message, results: [] }, false);
  }
  return limitEnd(`It called the model ${limits.maxCalls} times, which is its limit, and has no answer yet.`);
}

/** A run that a limit has ended says so in the place of an answer, or the user would wait for one. */
export function limitEnd(why: string): LoopEnd {
  const content = `[This run was ended by a limit. ${why} Say "go on" to let it continue.]`;
  return { reply: { role: "assistant", content }, finish: "limit" };
}

/** What whoever resumes must know. */
export function progressContext({ place, progress }: Pick<LoopRun, "place" | "progress">): Record<string, JsonValue> {
  const { iteration, atMost = null, usage, digest, refused = {} } = progress;
  return { switches: place.switches(), iteration, atMost, usage: { ...usage }, digest, refused };
}

async function callOnce(run: LoopRun): Promise<ModelReply> {
  const { parts, handle, place, plan, progress, signal, problems } = run;
  const building = buildCall(parts, place, plan, { atMost: progress.atMost, problems });
  const built = await untilAborted(building, signal);
  await place.keepDecisions(built.entriesToAppend);
  const n = await record(run, built);
  handle.emit({ type: "build", session: place.session, n, digest: built.digest, stats: built.stats });
  const session = { projectId: parts.project, sessionId: place.session };
  const words = watchWords(run);
  let noted: Promise<void> = Promise.resolve();
  try {
    const calling = callModel({
      model: plan.model,
      built,
      signal,
      ...words,
      onSent: (body) => {
        const raw = parts.redactor.redact(body);
        noted = noted.then(() => parts.store.builds.noteSent(session, n, raw)).catch(() => undefined);
      },
    });
    const reply = await untilAborted(calling, signal);
    words.flush();
    const usage = reply.usage;
    await recordUsage(parts, session, n, usage);
    progress.usage = addUsage(progress.usage, usage);
    const estimated = Math.round(built.stats.inputTokens / calibrationOf(built.stats.tokenizer));
    if (usage.inputTokens > 0)
      parts.calibration.observe({
        model: parts.redactor.redact(plan.model.id),
        estimated,
        reported: usage.inputTokens,
      });
    return reply;
  } catch (error) {
    if (!isFirstOverflow(error, progress)) throw error;
    progress.atMost = overflowBudget(error.message, built.stats.inputTokens);
    handle.emit({ type: "overflow:recovered", reason: error.message });
    return await callOnce(run);
  } finally {
    await noted;
  }
}

function isFirstOverflow(error: unknown, { atMost }: Progress): error is GalleyError {
  return error instanceof GalleyError && error.code === "ContextOverflow" && atMost === undefined;
}

/** Writes down the build and how far the run has come, before the model is called. */
async function record({ parts, handle, hold, place, plan, progress }: LoopRun, built: BuiltCall): Promise<number> {
  const { runId } = handle;
  // A build after an overflow is another one; one that is made again after a crash is not.
  const key = `${runId}/${progress.iteration}/${progress.atMost ?? "all"}`;
  const n = await recordCall(parts, built, { session: place.session, key, plan, runId });
  progress.digest = built.digest;
  if (!progress.calls.includes(n)) progress.calls = [...progress.calls, n];
  const { calls } = progress;
  // The first call of all knows nothing yet that the run was not stored with.
  const isFirst = place.steps().length === 0 && progress.iteration === 0 && progress.atMost === undefined;
  const context = progressContext({ place, progress });
  if (!isFirst) await parts.store.runs.save(hold, { steps: place.steps(), calls, context });
  return n;
}

async function serve(run: LoopRun, step: Step, isResumed: boolean): Promise<void> {
  const { parts, handle, hold, place, limits, signal } = run;
  let switches = place.switches();
  const save = async (present: Step): Promise<void> => {
    const context = progressContext(run);
    const steps = [...place.steps(), ...messagesOfStep(present)];
    await parts.store.runs.save(hold, { steps, calls: run.progress.calls, context });
  };
  await save(step);
  const served = await serveStep(step, {
    runId: handle.runId,
    tools: place.tools,
    maxCalls: limits.maxToolCallsPerReply,
    signal,
    graceMs: parts.limits.toolGraceMs,
    redact: parts.redactor.redact,
    refused: run.progress.refused,
    isResumed,
    onCall: ({ toolCallId: id, toolName: name, input }) =>
      handle.emit({ type: "tool:call", id, name, input: (input ?? null) as JsonValue }),
    onResult: ({ toolCallId: id, toolName: name, output }) => {
      const { value, isError } = outputValue(output);
      handle.emit({ type: "tool:result", id, name, output: value, isError });
      if (place.switches() > switches) handle.emit({ type: "context:switched", tool: name });
      switches = place.switches();
    },
    onProgress: save,
  });
  place.add(messagesOfStep(served));
}

interface Words {
  readonly onText: (delta: string) => void;
  readonly onReasoning: (delta: string) => void;
  flush(): void;
}

/** Tells what the model says as it says it, without secrets, also where one comes in two pieces [P6]. */
function watchWords({ parts, handle }: LoopRun): Words {
  const redactor = (): TextRedactor =>
    new TextRedactor(() => Object.values(parts.redactor.secrets()), parts.redactor.redact);
  const [text, reasoning] = [redactor(), redactor()];
  const tell = (type: "text" | "reasoning", delta: string): void => {
    if (delta !== "") handle.emit({ type, delta });
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
