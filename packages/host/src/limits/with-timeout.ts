import { setTimeout as sleep } from "node:timers/promises";
import type { GalleyError } from "@galley/engine";

/** Longer delays overflow, and the timer would then go off at once. */
export const maxDelayMs = 2 ** 31 - 1;

export interface Timeout {
  readonly milliseconds: number;
  /** What the caller gets instead; the work's signal is aborted with it. */
  readonly error: () => GalleyError;
  /** Once it is aborted, the result is not needed any longer: the timer, which holds the process, goes. */
  readonly over?: AbortSignal;
}

/**
 * Waits for work that may hang, and gives up after the time, whether the work heeds its signal or not. What it gives later is
 * ignored.
 */
export async function withTimeout<Value>(
  run: (signal: AbortSignal) => Value | Promise<Value>,
  { milliseconds, error, over }: Timeout,
): Promise<Value> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  // Not AbortSignal.timeout: its timer does not hold the process, which would end with the promise still open.
  const timer = setTimeout(
    () => {
      const reason = error();
      late.reject(reason);
      controller.abort(reason);
    },
    Math.min(milliseconds, maxDelayMs),
  );
  over?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  try {
    return await Promise.race([Promise.resolve(controller.signal).then(run), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the work gives, or the signal's reason when the work ignores the signal: a caller never waits for ever for a tool
 * that hangs. Work that listens gets `graceMs` milliseconds to tidy up.
 */
export async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal, graceMs = 0): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    if (graceMs === 0) reject(signal.reason);
    else void sleep(graceMs).then(() => reject(signal.reason));
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    // A late rejection is expected, and must not end the process.
    promise.catch(() => undefined);
  }
}
