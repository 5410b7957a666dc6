import { GalleyError, type JsonValue } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, StoredRun } from "../../store/ports/run-store.ts";
import { textOfReply } from "../call/call-model.ts";
import { openChatPlace } from "../places/chat-place.ts";
import type { Services } from "../services/services.ts";
import { callableModel } from "../call/resolve-model.ts";
import { openPlace } from "../places/open-place.ts";
import type { RunHandle } from "./run-handle.ts";
import { type LoopEnd, type LoopRun, limitEnd, progressContext, runLoop } from "./run-loop.ts";
import { requestFromJson, resolveLimits } from "./run-request.ts";
import { readProgress } from "./run-progress.ts";
import { splitSteps } from "../tools/execute-calls.ts";
import { openSessionPlace } from "../places/session-place.ts";
import { type OpenPlace, placeOf } from "../places/turn-place.ts";
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
  const beat = heartbeat(parts, hold, handle);
  const { runId } = handle;
  handle.emit({ type: "run:started", runId, session: stored.session, model: parts.redactor.redact(stored.model) });
  parts.events.emit("run:started", runId);
  try {
    const result = await attempt(parts, handle, stored, hold, closing);
    handle.emit({ type: "run:finished", runId, result });
    handle.finish(result);
  } catch (cause) {
    const error = publicError(cause, parts.redactor.redact);
    const isBack = isHandedBack(handle, closing);
    if (isBack) await parts.store.runs.release(hold).catch(() => undefined);
    if (isBack || error.code === "RunAborted") {
      handle.emit({ type: "run:aborted", runId, reason: error.message });
    } else handle.emit({ type: "run:failed", runId, error: error.toJSON() });
    handle.fail(error);
  } finally {
    clearInterval(beat);
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
  const time = new AbortController();
  try {
    const saved = readProgress(stored);
    if (saved.end) {
      // The process before had the reply already: it is written where it belongs, which needs no model.
      run = { parts, handle, hold, place: await openToWrite(parts, stored, saved.switches), progress: saved };
      return await commit(run, saved.end, stored.replyTs);
    }
    const opened = await open(parts, handle, stored, hold, time.signal);
    const { limits } = opened.run;
    run = opened.run;
    const timer = setTimeout(() => time.abort(), limits.maxMilliseconds);
    let end: LoopEnd;
    try {
      end = await runLoop(opened.run, opened.open);
    } catch (error) {
      if (!time.signal.aborted || handle.signal.aborted) throw error;
      end = limitEnd(`Its time of ${limits.maxMilliseconds} ms was over before it had an answer.`);
    } finally {
      clearTimeout(timer);
    }
    return await commit(run, end, stored.replyTs);
  } catch (error) {
    if (!isHandedBack(handle, closing))
      await giveUp(parts, hold, error, () => run?.place.fail() ?? failUnopened(parts, stored));
    throw error;
  }
}

/** Whether somebody else goes on with it: not with a run that was aborted before everything closed. */
function isHandedBack({ signal }: RunHandle, closing: AbortSignal): boolean {
  const cause: unknown = signal.reason;
  return closing.aborted && !(cause instanceof GalleyError && cause.code === "RunAborted" && !cause.retryable);
}

/** What it takes to end a run. */
type EndingRun = Pick<LoopRun, "parts" | "handle" | "hold" | "place" | "progress">;

interface OpenedRun {
  readonly run: LoopRun;
  readonly open: ReturnType<typeof splitSteps>["open"];
}

async function open(
  parts: Services,
  handle: RunHandle,
  stored: StoredRun,
  hold: RunHold,
  time: AbortSignal,
): Promise<OpenedRun> {
  const request = requestFromJson(stored.request);
  const limits = resolveLimits(request.limits);
  const name = placeOf(stored.place);
  const model = await callableModel(parts, stored.model);
  const plan = {
    ...(await resolveSettings(parts, name, model, { ...request, now: request.now ?? stored.inputTs })),
    model,
  };
  const { whole, open: openStep } = splitSteps(stored.steps);
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
  const signal = AbortSignal.any([handle.signal, time]);
  const run: LoopRun = { parts, handle, hold, place, plan, limits, signal, problems, progress };
  return { run, open: openStep };
}

/** The reply is saved with its time first, so that whoever resumes writes this one and no other. */
async function commit(run: EndingRun, { reply, finish }: LoopEnd, savedTs: number | null): Promise<RunResult> {
  const { parts, handle, hold, place, progress } = run;
  handle.signal.throwIfAborted();
  const replyTs = savedTs ?? place.nextTime();
  const context: JsonValue = { ...progressContext(run), reply: reply as unknown as JsonValue, finish };
  await parts.store.runs.save(hold, { replyTs, calls: progress.calls, context });
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
  await parts.store.runs.finish(
    hold,
    { status: "finished", reply, result: result as unknown as JsonValue },
    parts.now(),
  );
  return result;
}

/** The user's message goes to the transcript [W11], and the run has ended; unless it is somebody else's by now. */
async function giveUp(parts: Services, hold: RunHold, cause: unknown, fail: () => Promise<void>): Promise<void> {
  const { code, message, hint } = publicError(cause, parts.redactor.redact);
  if (code === "TaskLost") return;
  const status = code === "RunAborted" ? "aborted" : "failed";
  try {
    await fail();
    const outcome = { status, error: { code, message, ...(hint === undefined ? {} : { hint }) } } as const;
    await parts.store.runs.finish(hold, outcome, parts.now());
  } catch {
    // What led here says more; the lease runs out, and the run is found again.
  }
}

/** For a run that did not get as far as its place: what the user said is in the transcript of a chat all the same. */
async function failUnopened(parts: Services, stored: StoredRun): Promise<void> {
  if (placeOf(stored.place).kind === "chat") await (await openToWrite(parts, stored, 0)).fail();
}

/** The place of a run that only has to be written to. */
function openToWrite(parts: Services, stored: StoredRun, switches: number): Promise<OpenPlace> {
  const { kind, name, session } = placeOf(stored.place);
  const { input, branch } = requestFromJson(stored.request);
  const resumed = stored.attempt > 1 ? { steps: splitSteps(stored.steps).whole, switches } : undefined;
  const request = { runId: stored.id, input, inputTs: stored.inputTs, branch, resumed, windowTokens: 1 };
  return kind === "chat" ? openChatPlace(parts, name, request) : openSessionPlace(parts, session, request);
}

export function holdOf({ projectId, id, attempt: count }: StoredRun): RunHold {
  return { projectId, id, attempt: count };
}

/** Says again and again that the run is worked on, and stops it when it is not ours any more. */
export function heartbeat(parts: Services, hold: RunHold, handle: RunHandle): NodeJS.Timeout {
  const { runs } = parts.store;
  const { runLeaseMs } = parts.limits;
  const look = async (): Promise<void> => {
    if ((await runs.renew(hold, parts.now() + runLeaseMs)) || handle.isOver) return;
    const present = await runs.get(hold.projectId, hold.id);
    if (present?.status === "aborted") handle.abort(present.error?.message ?? "it was aborted elsewhere");
    else handle.stop(new GalleyError("TaskLost", `The run ${hold.id} was taken over by another process.`));
  };
  // A database that is away for a moment does no harm: the lease lasts longer than that.
  return setInterval(() => void look().catch(() => undefined), runLeaseMs / 3).unref();
}

/** Any error as one of ours, without secrets. */
export function publicError(cause: unknown, redact: <Value>(value: Value) => Value): GalleyError {
  if (!(cause instanceof GalleyError)) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return new GalleyError("TaskFailed", redact(message));
  }
  const { code, message, path, hint, retryable, problems } = cause;
  return new GalleyError(code, redact(message), {
    retryable,
    problems: redact(problems),
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  });
}
