import { GalleyError, type JsonObject, type JsonValue } from "@galley/engine";
import { nothingSaid } from "@galley/engine/messages";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, RunOutcome } from "../../store/ports/run-store.ts";
import { textOfReply } from "../call/call-model.ts";
import { tokensOf } from "../call/account-of.ts";
import type { TurnSettings } from "../call/resolve-settings.ts";
import type { AnsweredLog, KeptSteps } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import { closeStep, messagesOfStep } from "../tools/execute-calls.ts";
import type { LoopEnd, Progress } from "./loop.ts";
import type { RunHandle } from "./run-handle.ts";
import { type Answer, progressContext } from "./stored-runs.ts";

export interface EndingRun {
  readonly parts: Services;
  readonly handle: RunHandle;
  readonly hold: RunHold;
  readonly place: AnsweredLog;
  readonly progress: Progress;
  /** Absent where the reply was there already. */
  readonly plan?: TurnSettings;
  /** Set when what a person stopped is written. */
  isStopped?: boolean;
}

/** A run that a limit has ended says so in the place of an answer, or the user would wait for one. */
export function answerOf(end: LoopEnd, steps: KeptSteps | undefined): Answer {
  if (end.kind === "reply") return { reply: end.reply, finish: end.finish, steps };
  // Only tasks have tools that park; a call of a run waits.
  const why = end.kind === "limit" ? end.why : "A call of a tool parked, which only tasks can do.";
  const content = `[This run was ended by a limit. ${why} Say "go on" to let it continue.]`;
  return { reply: { role: "assistant", content }, finish: "limit", steps };
}

/** Writes the reply of a run where it belongs, and that the run has ended. */
export async function commitRun(run: EndingRun, answer: Answer, savedTs: number | null): Promise<RunResult> {
  const { parts, handle, hold, place, progress } = run;
  const { reply, finish } = answer;
  handle.signal.throwIfAborted();
  await writeAnswer(run, answer, savedTs);
  const result: RunResult = {
    runId: handle.runId,
    session: place.session,
    calls: progress.calls,
    reply,
    text: textOfReply(reply),
    digest: progress.digest,
    finish,
    usage: progress.usage,
  };
  const outcome: RunOutcome = { status: "finished", reply, result: result as unknown as JsonValue };
  // The mark that it has ended waits for the next write. One that finds the run without it writes the same reply again.
  parts.store.runs.finish(hold, outcome, parts.now(), { isLate: true }).catch(() => undefined);
  return result;
}

/** The reply is saved with its time before it is committed, so that a process that resumes writes this one and no other. */
async function writeAnswer(
  { parts, hold, place, progress }: EndingRun,
  answer: Answer,
  savedTs: number | null,
): Promise<void> {
  const { reply, isStopped, steps } = answer;
  const replyTs = savedTs ?? place.nextTime();
  const context = { ...progressContext(place, progress), ...(answer as unknown as JsonObject) };
  try {
    await parts.store.runs.save(hold, { replyTs, calls: progress.calls, context });
  } catch (error) {
    // Stopped through another process, it has ended in the store already.
    if (!isStopped || !(error instanceof GalleyError) || error.code !== "RunLost") throw error;
  }
  // A paid reply is never lost: where others were faster, it follows them [T6].
  await place.commit({ reply, ts: replyTs, onConflict: "append", isStopped, steps });
}

/** What stays of the steps in a chat [T8]. */
export function keptSteps({ place, plan }: EndingRun): KeptSteps | undefined {
  if (!plan) return undefined;
  return { isKept: plan.settings.toolSteps === "keep", tokens: tokensOf(place.steps(), plan.model.tokenizer) };
}

/** What a run has come to that a person stopped: its steps, the open one closed, and what was being said [T17]. */
export function stoppedAnswer(run: EndingRun): Answer {
  const { place, progress, parts } = run;
  const { open, said = "" } = progress;
  if (open) place.add(messagesOfStep(closeStep(open)));
  progress.open = undefined;
  const steps = keptSteps(run);
  // A chat that drops the steps keeps the words in them.
  const isDropped = /^(?:chat|agent):/u.test(place.session) && steps?.isKept !== true;
  const earlier = place.steps().flatMap((step) => (isDropped && step.role === "assistant" ? [textOfReply(step)] : []));
  const words = [...earlier, said].map((text) => text.trim()).filter((text) => text !== "");
  const content = words.length === 0 ? nothingSaid : parts.redactor.redact(words.join("\n\n"));
  return { reply: { role: "assistant", content }, finish: "other", isStopped: true, steps };
}

/** Commits what was said before a person stopped the run, and gives the error with which it ends. */
export async function commitStopped(run: EndingRun, answer: Answer, savedTs: number | null): Promise<GalleyError> {
  await writeAnswer(run, answer, savedTs);
  run.isStopped = true;
  return new GalleyError("RunAborted", "The run was stopped. What was said so far is kept.");
}
