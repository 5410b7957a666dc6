import { GalleyError, type UserMessage } from "@galley/engine";
import type { GalleyRun, GalleyRuns, TurnPlace } from "../galley.ts";
import { executeRun, publicError } from "./execute-run.ts";
import type { GalleyParts } from "./galley-parts.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { placeQueue } from "./place-queue.ts";
import { type RequestOptions, resolveLimits } from "./run-request.ts";
import { followRun, leaseMs, storeRun } from "./stored-runs.ts";
import { type Branch, type PlaceName, placeOf } from "./turn-place.ts";

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

/** Runs that have ended stay for readers who come late. */
const keptRuns = 200;

export function runRegistry(parts: GalleyParts, worker: string): RunRegistry {
  const { project, store } = parts;
  const closing = new AbortController();
  const known = new Map<string, RunHandle>();
  const queue = placeQueue();

  const fail = (handle: RunHandle, cause: unknown): void => {
    const error = publicError(cause, parts.redactor.redact);
    handle.emit({ type: "run:failed", runId: handle.runId, error: error.toJSON() });
    handle.fail(error);
  };
  const options = { leaseMs, closing: closing.signal };

  const begin = async (handle: RunHandle, start: RunStart, place: PlaceName): Promise<void> => {
    try {
      if (closing.signal.aborted) throw closedError();
      const { stored, isNew } = await storeRun(parts, worker, start, place);
      if (isNew) await executeRun(parts, handle, stored, options);
      else await followRun(parts, handle, closing.signal);
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
      remember(known, handle);
      try {
        if (closing.signal.aborted) throw closedError();
        resolveLimits(start.limits);
        const place = placeOf(start.place);
        queue.add(place.session, () => begin(handle, start, place));
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
        remember(known, handle);
        queue.add(stored.session, () => executeRun(parts, handle, stored, options));
        return handle;
      });
    },
    async close() {
      closing.abort();
      for (const handle of known.values()) handle.stop(closedError());
      await queue.idle();
    },
  };
}

function remember(known: Map<string, RunHandle>, handle: RunHandle): void {
  known.set(handle.runId, handle);
  const ended = [...known.values()].filter(({ isOver }) => isOver);
  for (const { runId } of ended.slice(0, Math.max(0, ended.length - keptRuns))) known.delete(runId);
}

const mostResumed = 10_000;

function closedError(): GalleyError {
  return new GalleyError("RunAborted", "Galley was closed while the run was under way or waiting.", {
    hint: "It goes on when the data folder is opened again and resume() is called.",
    retryable: true,
  });
}
