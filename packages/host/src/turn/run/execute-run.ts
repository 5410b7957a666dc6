import { GalleyError } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, RunOutcome, StoredRun } from "../../store/ports/run-store.ts";
import { sendToModel } from "../call/call-model.ts";
import type { Services } from "../services/services.ts";
import { callableModel, givenModel } from "../call/resolve-model.ts";
import { openLog } from "../places/open-place.ts";
import type { RunHandle } from "./run-handle.ts";
import { giveUp, keepLease, lostError, publicError } from "./lease.ts";
import { type EndingRun, answerOf, commitRun, commitStopped, keptSteps, stoppedAnswer } from "./end-run.ts";
import { type LoopTurn, runLoop } from "./loop.ts";
import { type GivenObjects, requestFromJson, resolveLimits } from "./run-request.ts";
import { type AskedRun, readProgress, runWork } from "./stored-runs.ts";
import { splitSteps } from "../tools/execute-calls.ts";
import { type AnsweredLog, type OpenPlace, type ResumedTurn, placeOf } from "../places/turn-place.ts";
import { prepareTurn } from "./prepare-turn.ts";

/**
 * Works on a run from where it stands to its end, and throws only where it could not be stored: else the handle says how it
 * went. When `closing` is aborted, the run is handed back for another process to go on with. False when another process has
 * begun a run of this id meanwhile.
 */
export async function executeRun(
  parts: Services,
  handle: RunHandle,
  { stored, begun = Promise.resolve(true) }: AskedRun,
  closing: AbortSignal,
  given?: GivenObjects,
): Promise<boolean> {
  const hold = holdOf(stored);
  const held = heldRun(parts, handle, stored, begun);
  held.catch(() => undefined);
  const endLease = holdRun(parts, hold, handle, held);
  const { runId } = handle;
  try {
    handle.finish(await attempt(parts, handle, stored, { hold, held, closing, given }));
  } catch (cause) {
    if (!(await begun)) return false;
    const error = publicError(cause, parts.redactor.redact, "RunFailed");
    handle.fail(error, isHandedBack(handle, closing));
  } finally {
    endLease();
    parts.events.emit("run:ended", runId);
  }
  return true;
}

/** Resolves when the run is stored and this process has it, which is told before anything else of it. */
async function heldRun(
  parts: Services,
  handle: RunHandle,
  { session, model }: StoredRun,
  begun: Promise<boolean>,
): Promise<void> {
  const { runId } = handle;
  if (!(await begun)) throw lostError("run", runId);
  handle.emit({ type: "run:started", runId, session, model: parts.redactor.redact(model) });
  parts.events.emit("run:started", runId);
}

interface Attempt {
  readonly hold: RunHold;
  readonly held: Promise<void>;
  readonly closing: AbortSignal;
  /** What it was given that cannot be stored; absent in a process that did not begin it. */
  readonly given: GivenObjects | undefined;
}

async function attempt(
  parts: Services,
  handle: RunHandle,
  stored: StoredRun,
  { hold, held, closing, given }: Attempt,
): Promise<RunResult> {
  let run: EndingRun | undefined;
  try {
    const saved = readProgress(stored);
    if (saved.end) {
      // The process before had the reply already: it is written where it belongs, which needs no model.
      run = { parts, handle, hold, place: await openToWrite(parts, stored, saved), progress: saved };
      if (saved.end.isStopped) throw await commitStopped(run, saved.end, stored.replyTs);
      return await commitRun(run, saved.end, stored.replyTs);
    }
    const { turn, place, open } = await openRun(parts, handle, stored, { hold, held, given });
    run = { parts, handle, hold, place, progress: turn.progress, plan: turn.plan };
    return await commitRun(run, answerOf(await runLoop(turn, open), keptSteps(run)), stored.replyTs);
  } catch (error) {
    const { runs } = parts.store;
    // Stored at once, if it was not yet: what ends here is the run that this process has begun, and no other of its id.
    await runs.get(hold.projectId, hold.id).catch(() => undefined);
    const isHeld = await held.then(
      () => true,
      () => false,
    );
    if (!isHeld) throw error;
    await giveUp(error, {
      isHandedBack: isHandedBack(handle, closing),
      release: () => runs.release(hold),
      fail: async () => {
        // What was said so far stays, if a person stopped it [T17]. Else the user's message goes to the transcript [W11].
        if (run && isStoppedByPerson(handle) && isBegun(run)) await commitStopped(run, stoppedAnswer(run), null);
        else if (!run?.isStopped) await (run?.place.fail() ?? failUnopened(parts, stored));
        await runs.finish(hold, failureOf(publicError(error, parts.redactor.redact, "RunFailed")), parts.now());
      },
    }).catch(() => {
      // What led here says more; the lease runs out, and the run is found again.
    });
    throw error;
  }
}

function failureOf({ code, message, hint }: GalleyError): RunOutcome {
  const status = code === "RunAborted" ? "aborted" : "failed";
  return { status, error: { code, message, hint } };
}

/** Whether another process goes on with it: not with a run that was aborted before everything closed. */
function isHandedBack(handle: RunHandle, closing: AbortSignal): boolean {
  return closing.aborted && !isStoppedByPerson(handle);
}

/** Whether a model was asked. */
function isBegun({ plan, progress }: EndingRun): boolean {
  return plan !== undefined && progress.calls.length > 0;
}

/** Whether a person stopped it, and not the end of this process. */
function isStoppedByPerson({ signal }: RunHandle): boolean {
  const cause: unknown = signal.reason;
  return cause instanceof GalleyError && cause.code === "RunAborted" && !cause.retryable;
}

interface OpenedRun {
  readonly turn: LoopTurn;
  readonly place: OpenPlace;
  readonly open: ReturnType<typeof splitSteps>["open"];
}

/** A run that was begun with something that only its own process had cannot go on in this one [T9]. */
function interrupted(what: readonly string[]): GalleyError {
  const names = what.map((name) => (name === "model" ? "its model" : "its tools")).join(" and ");
  const message = `The run was interrupted: its process has ended, and ${names} existed there only.`;
  return new GalleyError("RunFailed", message, {
    hint: "Ask again. What it had done is kept with the run; a model that is given by name can be resumed.",
  });
}

async function openRun(
  parts: Services,
  handle: RunHandle,
  stored: StoredRun,
  { hold, held, given }: Omit<Attempt, "closing">,
): Promise<OpenedRun> {
  const request = requestFromJson(stored.request);
  if (request.given && !given) throw interrupted(request.given);
  const limits = resolveLimits(request.limits);
  const name = placeOf(stored.place);
  const model = await (given?.model ? givenModel(parts, given.model) : callableModel(parts, stored.model));
  const { whole, open } = splitSteps(stored.steps);
  const { switches, state, end: _, ...progress } = readProgress(stored);
  const settings = { ...request, now: request.now ?? stored.inputTs };
  const { plan, place, problems } = await prepareTurn(parts, name, model, settings, {
    runId: stored.id,
    input: request.input,
    inputTs: stored.inputTs,
    branch: request.branch,
    tools: given?.tools,
    resumed: stored.attempt > 1 ? { steps: whole, switches, state } : undefined,
  });
  const turn: LoopTurn = {
    parts,
    work: runWork(parts.store.runs, hold, place, held),
    place,
    plan,
    send: sendToModel(model, request.modelOptions),
    limits,
    stop: handle.signal,
    problems,
    progress,
    emit: (event) => handle.emit(event),
  };
  return { turn, place, open };
}

/** For a run that did not get as far as its place: what the user said is in the transcript of a chat all the same. */
async function failUnopened(parts: Services, stored: StoredRun): Promise<void> {
  if (chatKeyOf(placeOf(stored.place)) !== undefined) await (await openToWrite(parts, stored, { switches: 0 })).fail();
}

/** The place of a run that only has to be written to. */
function openToWrite(parts: Services, stored: StoredRun, saved: Omit<ResumedTurn, "steps">): Promise<AnsweredLog> {
  const { input, branch } = requestFromJson(stored.request);
  const { switches, state } = saved;
  const resumed = stored.attempt > 1 ? { steps: splitSteps(stored.steps).whole, switches, state } : undefined;
  const request = { runId: stored.id, input, inputTs: stored.inputTs, branch, resumed, windowTokens: 1 };
  return openLog(parts, placeOf(stored.place), request);
}

export function holdOf({ projectId, id, attempt: count }: StoredRun): RunHold {
  return { projectId, id, attempt: count };
}

/** Keeps the lease of a run, and stops it when it is not ours any more; gives the function that ends it. */
export function holdRun(
  parts: Services,
  hold: RunHold,
  handle: RunHandle,
  held: Promise<void> = Promise.resolve(),
): () => void {
  const { runs } = parts.store;
  const { runLeaseMs: leaseMs } = parts.limits;
  return keepLease(
    {
      async renew() {
        await held;
        return (await runs.renew(hold, parts.now() + leaseMs)) || handle.isOver;
      },
      async onLost() {
        const present = await runs.get(hold.projectId, hold.id);
        if (present?.status === "aborted") handle.abort(present.error?.message ?? "it was aborted elsewhere");
        else handle.stop(lostError("run", hold.id));
      },
    },
    leaseMs,
  );
}
