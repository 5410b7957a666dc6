import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject, type UserMessage } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { StoredRun } from "../../store/run-store.ts";
import type { GalleyRun, GalleyRuns, TurnPlace } from "../galley.ts";
import { executeRun, publicError } from "./execute-run.ts";
import type { GalleyParts } from "./galley-parts.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { type RequestOptions, requestToJson, resolveLimits, storedRequest } from "./run-request.ts";
import { type Branch, type PlaceName, placeOf } from "./turn-place.ts";
import { modelIdOf } from "./turn-plan.ts";

/** A run that is to begin. */
export interface RunStart extends RequestOptions {
  readonly runId: string;
  readonly place: TurnPlace;
  readonly model?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when it is the run's turn in its place: what it answers may depend on what came before. */
  readonly prepare: (place: PlaceName) => Promise<PreparedRun>;
}

export interface PreparedRun {
  readonly input: UserMessage;
  readonly inputTs: number;
  readonly branch?: Branch;
}

export interface RunRegistry extends GalleyRuns {
  start(start: RunStart): GalleyRun;
  resume(options: { readonly isOwner: boolean }): Promise<readonly GalleyRun[]>;
  /** Hands back what is running. */
  close(): Promise<void>;
}

const leaseMs = 15_000;
/** Runs that have ended stay for readers who come late. */
const keptRuns = 200;

export function runRegistry(parts: GalleyParts, worker: string): RunRegistry {
  const { project, store } = parts;
  const closing = new AbortController();
  const known = new Map<string, RunHandle>();
  const working = new Set<Promise<void>>();
  /** One run at a time in a place: the next one waits for the one before. */
  const queues = new Map<string, Promise<void>>();

  const remember = (handle: RunHandle): void => {
    known.set(handle.runId, handle);
    const ended = [...known.values()].filter(({ isOver }) => isOver);
    for (const { runId } of ended.slice(0, Math.max(0, ended.length - keptRuns))) known.delete(runId);
  };
  const enqueue = (session: string, work: () => Promise<void>): void => {
    const turn = (queues.get(session) ?? Promise.resolve()).then(work);
    queues.set(session, turn);
    working.add(turn);
    void turn.finally(() => {
      working.delete(turn);
      if (queues.get(session) === turn) queues.delete(session);
    });
  };
  const fail = (handle: RunHandle, cause: unknown): void => {
    const error = publicError(cause, parts.redactor.redact);
    handle.emit({ type: "run:failed", runId: handle.runId, error: error.toJSON() });
    handle.fail(error);
  };
  const execute = (handle: RunHandle, stored: StoredRun): Promise<void> =>
    executeRun(parts, handle, stored, { leaseMs, closing: closing.signal });

  const begin = async (handle: RunHandle, start: RunStart, place: PlaceName): Promise<void> => {
    try {
      if (closing.signal.aborted) throw closedError();
      const { stored, isNew } = await storeRun(parts, worker, start, place);
      if (isNew) await execute(handle, stored);
      else await follow(parts, handle, closing.signal);
    } catch (error) {
      fail(handle, error);
    }
  };
  return {
    find: (runId) => known.get(runId),
    running: () => [...known.values()].filter(({ isOver }) => !isOver),
    start(start) {
      const before = known.get(start.runId);
      if (before) return before;
      const handle = runHandle(start.runId, start.signal);
      remember(handle);
      try {
        if (closing.signal.aborted) throw closedError();
        resolveLimits(start.limits);
        const place = placeOf(start.place);
        enqueue(place.session, () => begin(handle, start, place));
      } catch (error) {
        fail(handle, error);
      }
      return handle;
    },
    async resume({ isOwner }) {
      const now = parts.now();
      // Whoever owns the data folder knows that nobody else is at work: the leases of the dead need not run out first.
      const seen = isOwner ? now + leaseMs + 1 : now;
      const claimed = await store.runs.claimAbandoned(project, worker, { now: seen, leaseMs, limit: mostResumed });
      return claimed.map((stored) => {
        const handle = runHandle(stored.id, undefined);
        remember(handle);
        enqueue(stored.session, () => execute(handle, stored));
        return handle;
      });
    },
    async close() {
      closing.abort();
      for (const handle of known.values()) handle.stop(closedError());
      await Promise.allSettled(working);
    },
  };
}

const mostResumed = 10_000;

function closedError(): GalleyError {
  return new GalleyError("RunAborted", "Galley was closed while the run was under way or waiting.", {
    hint: "It goes on when the data folder is opened again and resume() is called.",
    retryable: true,
  });
}

async function storeRun(
  parts: GalleyParts,
  worker: string,
  start: RunStart,
  place: PlaceName,
): Promise<{ readonly stored: StoredRun; readonly isNew: boolean }> {
  const { project, store, redactor } = parts;
  // Sent twice, it runs once; what it would be prepared with may be another thing by now.
  const before = await store.runs.get(project, start.runId);
  if (before) return { stored: before, isNew: false };
  const model = await modelIdOf(parts, place, start.model);
  const { input, inputTs, branch } = await start.prepare(place);
  const request: JsonObject = requestToJson(storedRequest(redactor.redact(input), start, branch));
  const { run, started } = await store.runs.start({
    projectId: project,
    id: start.runId,
    place: start.place,
    session: place.session,
    model,
    request: redactor.redact(request),
    inputTs,
    worker,
    leaseMs,
    now: parts.now(),
  });
  return { stored: run, isNew: started };
}

const pauseMs = 250;

/** Tells of a run that somebody else works on, or that has ended before. */
async function follow(parts: GalleyParts, handle: RunHandle, closing: AbortSignal): Promise<void> {
  const { runId } = handle;
  for (let isTold = false; ;) {
    const stored = await parts.store.runs.get(parts.project, runId);
    if (!stored) throw new GalleyError("NotFound", `There is no run ${runId} any more.`, { path: "runId" });
    const { session, model, status } = stored;
    if (!isTold) handle.emit({ type: "run:started", runId, session, model });
    isTold = true;
    if (status === "finished") {
      const result = stored.result as unknown as RunResult;
      handle.emit({ type: "run:finished", runId, result });
      return handle.finish(result);
    }
    if (status !== "running") {
      const { code = "TurnFailed", message = `The run ended as ${status}.`, hint } = stored.error ?? {};
      throw new GalleyError(code as GalleyError["code"], message, hint === undefined ? {} : { hint });
    }
    await sleep(pauseMs, undefined, { signal: AbortSignal.any([handle.signal, closing]) });
  }
}
