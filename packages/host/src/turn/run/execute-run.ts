import { GalleyError, type JsonValue } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, RunOutcome, StoredRun } from "../../store/ports/run-store.ts";
import { sendToModel, textOfReply } from "../call/call-model.ts";
import type { Services } from "../services/services.ts";
import { callableModel } from "../call/resolve-model.ts";
import { openLog, openPlace } from "../places/open-place.ts";
import type { RunHandle } from "./run-handle.ts";
import { giveUp, keepLease, lostError, publicError } from "./lease.ts";
import { type LoopEnd, type LoopTurn, type Progress, runLoop } from "./loop.ts";
import { requestFromJson, resolveLimits } from "./run-request.ts";
import { type Answer, readProgress, runWork, saveAnswer } from "./stored-runs.ts";
import { splitSteps } from "../tools/execute-calls.ts";
import { type AnsweredLog, type OpenPlace, placeOf } from "../places/turn-place.ts";
import { budgetOf, resolveSettings } from "../call/resolve-settings.ts";

/**
 * Works on a run that is stored and held, from where it stands to its end. Never throws: the handle says how it went. When
 * `closing` is aborted, the run is handed back for another process to go on with.
 */
export async function executeRun(
  parts: Services,
  handle: RunHandle,
  stored: StoredRun,
  closing: AbortSignal,
): Promise<void> {
  const hold = holdOf(stored);
  const endLease = holdRun(parts, hold, handle);
  const { runId } = handle;
  handle.emit({ type: "run:started", runId, session: stored.session, model: parts.redactor.redact(stored.model) });
  parts.events.emit("run:started", runId);
  try {
    handle.finish(await attempt(parts, handle, stored, hold, closing));
  } catch (cause) {
    const error = publicError(cause, parts.redactor.redact, "RunFailed");
    handle.fail(error, isHandedBack(handle, closing));
  } finally {
    endLease();
    parts.events.emit("run:ended", runId);
  }
}

async function attempt(
  parts: Services,
  handle: RunHandle,
  stored: StoredRun,
  hold: RunHold,
  closing: AbortSignal,
): Promise<RunResult> {
  let run: EndingRun | undefined;
  try {
    const saved = readProgress(stored);
    if (saved.end) {
      // The process before had the reply already: it is written where it belongs, which needs no model.
      run = { parts, handle, hold, place: await openToWrite(parts, stored, saved.switches), progress: saved };
      return await commit(run, saved.end, stored.replyTs);
    }
    const { turn, place, open } = await openRun(parts, handle, stored, hold);
    run = { parts, handle, hold, place, progress: turn.progress };
    return await commit(run, answerOf(await runLoop(turn, open)), stored.replyTs);
  } catch (error) {
    const { runs } = parts.store;
    await giveUp(error, {
      isHandedBack: isHandedBack(handle, closing),
      release: () => runs.release(hold),
      fail: async () => {
        // The user's message goes to the transcript [W11], and the run has ended.
        await (run?.place.fail() ?? failUnopened(parts, stored));
        await runs.finish(hold, failureOf(publicError(error, parts.redactor.redact, "RunFailed")), parts.now());
      },
    }).catch(() => {
      // What led here says more; the lease runs out, and the run is found again.
    });
    throw error;
  }
}

/** A run that a limit has ended says so in the place of an answer, or the user would wait for one. */
function answerOf(end: LoopEnd): Answer {
  if (end.kind === "reply") return end;
  // Only tasks have tools that park; a call of a run waits.
  const why = end.kind === "limit" ? end.why : "A call of a tool parked, which only tasks can do.";
  const content = `[This run was ended by a limit. ${why} Say "go on" to let it continue.]`;
  return { reply: { role: "assistant", content }, finish: "limit" };
}

function failureOf({ code, message, hint }: GalleyError): RunOutcome {
  const status = code === "RunAborted" ? "aborted" : "failed";
  return { status, error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** Whether another process goes on with it: not with a run that was aborted before everything closed. */
function isHandedBack({ signal }: RunHandle, closing: AbortSignal): boolean {
  const cause: unknown = signal.reason;
  return closing.aborted && !(cause instanceof GalleyError && cause.code === "RunAborted" && !cause.retryable);
}

/** What it takes to end a run. */
interface EndingRun {
  readonly parts: Services;
  readonly handle: RunHandle;
  readonly hold: RunHold;
  readonly place: AnsweredLog;
  readonly progress: Progress;
}

interface OpenedRun {
  readonly turn: LoopTurn;
  readonly place: OpenPlace;
  readonly open: ReturnType<typeof splitSteps>["open"];
}

async function openRun(parts: Services, handle: RunHandle, stored: StoredRun, hold: RunHold): Promise<OpenedRun> {
  const request = requestFromJson(stored.request);
  const limits = resolveLimits(request.limits);
  const name = placeOf(stored.place);
  const model = await callableModel(parts, stored.model);
  const plan = await resolveSettings(parts, name, model, { ...request, now: request.now ?? stored.inputTs });
  const { whole, open } = splitSteps(stored.steps);
  const { switches, end: _, ...progress } = readProgress(stored);
  const isResumed = stored.attempt > 1;
  const { place, problems } = await openPlace(
    parts,
    name,
    {
      runId: stored.id,
      input: request.input,
      inputTs: stored.inputTs,
      branch: request.branch,
      windowTokens: budgetOf(plan.config),
      ...(isResumed ? { resumed: { steps: whole, switches } } : {}),
    },
    model.id,
  );
  const turn: LoopTurn = {
    parts,
    work: runWork(parts.store.runs, hold, place),
    place,
    plan,
    send: sendToModel(model),
    limits,
    stop: handle.signal,
    problems,
    progress,
    emit: (event) => handle.emit(event),
  };
  return { turn, place, open };
}

async function commit(run: EndingRun, answer: Answer, savedTs: number | null): Promise<RunResult> {
  const { parts, handle, hold, place, progress } = run;
  const { reply, finish } = answer;
  handle.signal.throwIfAborted();
  const replyTs = savedTs ?? place.nextTime();
  await saveAnswer(parts.store.runs, hold, { ...answer, place, progress, replyTs });
  await place.commit(reply, replyTs);
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
  await parts.store.runs.finish(hold, outcome, parts.now());
  return result;
}

/** For a run that did not get as far as its place: what the user said is in the transcript of a chat all the same. */
async function failUnopened(parts: Services, stored: StoredRun): Promise<void> {
  if (placeOf(stored.place).kind === "chat") await (await openToWrite(parts, stored, 0)).fail();
}

/** The place of a run that only has to be written to. */
function openToWrite(parts: Services, stored: StoredRun, switches: number): Promise<AnsweredLog> {
  const { input, branch } = requestFromJson(stored.request);
  const resumed = stored.attempt > 1 ? { steps: splitSteps(stored.steps).whole, switches } : undefined;
  const request = { runId: stored.id, input, inputTs: stored.inputTs, branch, resumed, windowTokens: 1 };
  return openLog(parts, placeOf(stored.place), request);
}

export function holdOf({ projectId, id, attempt: count }: StoredRun): RunHold {
  return { projectId, id, attempt: count };
}

/** Keeps the lease of a run, and stops it when it is not ours any more; gives the function that ends it. */
export function holdRun(parts: Services, hold: RunHold, handle: RunHandle): () => void {
  const { runs } = parts.store;
  const { runLeaseMs: leaseMs } = parts.limits;
  return keepLease(
    {
      renew: async () => (await runs.renew(hold, parts.now() + leaseMs)) || handle.isOver,
      async onLost() {
        const present = await runs.get(hold.projectId, hold.id);
        if (present?.status === "aborted") handle.abort(present.error?.message ?? "it was aborted elsewhere");
        else handle.stop(lostError("run", hold.id));
      },
    },
    leaseMs,
  );
}
