import type { GalleyRun, GalleyRuns } from "../services/turn-types.ts";
import { executeRun, holdOf, holdRun } from "./execute-run.ts";
import type { Services } from "../services/services.ts";
import { evictEndedRuns } from "./evict-ended-runs.ts";
import { closedError, runStarter } from "./start-run.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { serialQueue } from "./serial-queue.ts";
import { requestFromJson, resolveLimits } from "./run-request.ts";
import type { RunStart } from "./run-start.ts";
import { claimRuns, otherRequest } from "./stored-runs.ts";
import { placeOf } from "../places/turn-place.ts";

export interface RunRegistry extends GalleyRuns {
  start(start: RunStart): GalleyRun;
  resume(options: { readonly isOwner: boolean }): Promise<readonly GalleyRun[]>;
  /** Hands back what is running. */
  close(): Promise<void>;
}

export function runRegistry(parts: Services, worker: string): RunRegistry {
  const closing = new AbortController();
  const { signal } = closing;
  const known = new Map<string, RunHandle>();
  const asked = new WeakMap<RunHandle, string>();
  const queue = serialQueue();
  const beginner = runStarter(parts, worker, signal);
  return {
    find: (runId) => known.get(runId),
    running: () => [...known.values()].filter(({ isOver }) => !isOver),
    start(start) {
      const present = known.get(start.runId);
      const before = present && beginner.isUnstored(present) ? undefined : present;
      const isOther = before !== undefined && (asked.get(before) ?? start.fingerprint) !== start.fingerprint;
      if (before && !isOther) return before;
      const handle = runHandle(start.runId, start.signal);
      asked.set(handle, start.fingerprint);
      if (!isOther) evictEndedRuns(known, handle);
      try {
        if (isOther) throw otherRequest(start.runId);
        if (signal.aborted) throw closedError(false);
        resolveLimits(start.limits);
        const place = placeOf(start.place);
        let isBegun = false;
        const begin = async (): Promise<void> => {
          if (isBegun) return;
          isBegun = true;
          await beginner.begin(handle, start, place);
        };
        queue.add(place.session, begin);
        // A run that is aborted while it waits has only its message to keep [W11], and need not wait for that.
        const onAbort = (): void => {
          if (!signal.aborted) queue.add(`aborted ${start.runId}`, begin);
        };
        handle.signal.addEventListener("abort", onAbort, { once: true });
      } catch (error) {
        beginner.refuse(handle, error);
      }
      return handle;
    },
    async resume({ isOwner }) {
      const except = [...known.values()].filter(({ isOver }) => !isOver).map(({ runId }) => runId);
      const claimed = await claimRuns(parts, worker, { isAlone: isOwner && except.length === 0, except });
      return claimed.map((stored) => {
        const handle = runHandle(stored.id, undefined);
        const { fingerprint } = requestFromJson(stored.request);
        if (fingerprint !== undefined) asked.set(handle, fingerprint);
        evictEndedRuns(known, handle);
        // It may have to wait for others of its place, and must not be taken for abandoned meanwhile.
        const endLease = holdRun(parts, holdOf(stored), handle);
        queue.add(stored.session, () => executeRun(parts, handle, stored, signal).finally(endLease));
        return handle;
      });
    },
    async close() {
      closing.abort();
      for (const handle of known.values()) handle.stop(closedError(true));
      await queue.idle();
      await beginner.idle();
    },
  };
}
