import { GalleyError } from "@galley/engine";
import { executeRun } from "./execute-run.ts";
import { publicError } from "./lease.ts";
import type { Services } from "../services/services.ts";
import type { RunHandle } from "./run-handle.ts";
import type { RunStart } from "./run-start.ts";
import { followRun, storeRun } from "./stored-runs.ts";
import type { PlaceName } from "../places/turn-place.ts";

/** Begins runs when it is their turn, or follows those that were begun before. */
export interface RunStarter {
  /** Never throws: the handle says how it went. */
  begin(handle: RunHandle, start: RunStart, place: PlaceName): Promise<void>;
  refuse(handle: RunHandle, cause: unknown): void;
  /** Whether it was refused before it was stored: its id may be used again. */
  isUnstored(handle: RunHandle): boolean;
  /** Resolves when nobody follows a run any more. */
  idle(): Promise<void>;
}

export function runStarter(parts: Services, worker: string, closing: AbortSignal): RunStarter {
  const unstored = new WeakSet<RunHandle>();
  const followers = new Set<Promise<void>>();
  const fail = (handle: RunHandle, cause: unknown): void => {
    const error = publicError(cause, parts.redactor.redact, "RunFailed");
    const { runId } = handle;
    if (error.code === "RunAborted") handle.emit({ type: "run:aborted", runId, reason: error.message });
    else handle.emit({ type: "run:failed", runId, error: error.toJSON() });
    handle.fail(error);
  };
  const refuse = (handle: RunHandle, cause: unknown): void => {
    unstored.add(handle);
    fail(handle, cause);
  };
  /** Beside the queue: the run itself may come into it, when it is resumed here. */
  const follow = (handle: RunHandle): void => {
    const following = followRun(parts, handle)
      .catch((error: unknown) => fail(handle, error))
      .finally(() => followers.delete(following));
    followers.add(following);
  };
  return {
    async begin(handle, start, place) {
      try {
        if (closing.aborted && start.answersLastMessage) throw closedError(false);
        // Also while everything closes: what was said is stored then, and handed back.
        const { stored, isNew } = await storeRun(parts, worker, start, place);
        if (isNew) await executeRun(parts, handle, stored, closing);
        else follow(handle);
      } catch (error) {
        refuse(handle, error);
      }
    },
    refuse,
    isUnstored: (handle) => unstored.has(handle),
    async idle() {
      await Promise.allSettled(followers);
    },
  };
}

export function closedError(isStored: boolean): GalleyError {
  const message = isStored ? "Galley was closed while the run was under way or waiting." : "Galley was closed.";
  return new GalleyError("RunAborted", message, {
    hint: isStored
      ? "It goes on when the data folder is opened again and resume() is called."
      : "Nothing was kept of it: open the data folder again, and ask again.",
    retryable: true,
  });
}
