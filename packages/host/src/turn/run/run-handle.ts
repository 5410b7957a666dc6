import { GalleyError } from "@galley/engine";
import type { RunEvent, RunResult } from "../../api/run-event.ts";
import type { GalleyRun } from "../services/turn-types.ts";

/** A run from the inside. */
export interface RunHandle extends GalleyRun {
  readonly signal: AbortSignal;
  emit(event: RunEvent): void;
  finish(result: RunResult): void;
  /** One that is handed back was only aborted here: another process goes on with it. */
  fail(error: GalleyError, isHandedBack?: boolean): void;
  /** Ends it from within, for another reason than its caller's. */
  stop(error: GalleyError): void;
  readonly isOver: boolean;
  /** How many events it holds. */
  readonly size: number;
}

const aborted = "Aborted by its caller";

/** Every reader gets every event, from the first on, however late they come. */
export function runHandle(runId: string, outer: AbortSignal | undefined): RunHandle {
  const events: RunEvent[] = [];
  const waiting = new Set<() => void>();
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  let isOver = false;
  // Whoever only reads the events learns of a failure by them.
  promise.catch(() => undefined);
  const stop = (error: GalleyError): void => {
    if (!isOver && !controller.signal.aborted) controller.abort(error);
  };
  const abort = (reason: string = aborted): void => stop(abortedError(reason));
  const onOuter = (): void => abort(reasonOf(outer?.reason));
  if (outer?.aborted) onOuter();
  outer?.addEventListener("abort", onOuter, { once: true });
  const wake = (): void => {
    for (const go of waiting) go();
    waiting.clear();
  };
  const emit = (event: RunEvent): void => {
    events.push(event);
    wake();
  };
  const end = (): void => {
    isOver = true;
    outer?.removeEventListener("abort", onOuter);
    wake();
  };
  return {
    runId,
    result: promise,
    signal: controller.signal,
    abort,
    stop,
    emit,
    finish(result) {
      emit({ type: "run:finished", runId, result });
      resolve(result);
      end();
    },
    fail(error, isHandedBack = error.code === "RunAborted") {
      if (isHandedBack) emit({ type: "run:aborted", runId, reason: error.message });
      else emit({ type: "run:failed", runId, error: error.toJSON() });
      reject(error);
      end();
    },
    get size() {
      return events.length;
    },
    get isOver() {
      return isOver;
    },
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; next += 1) {
        while (next >= events.length) {
          if (isOver) return;
          await new Promise<void>((go) => waiting.add(go));
        }
        yield events[next] as RunEvent;
      }
    },
  };
}

function abortedError(reason: string): GalleyError {
  return new GalleyError("RunAborted", `The run was stopped: ${reason.replace(/\.?$/u, ".")}`, {
    hint: "The message of the user is in the transcript; send it again to have it answered.",
  });
}

function reasonOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : typeof reason === "string" ? reason : aborted;
}
