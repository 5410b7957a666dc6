import { setTimeout as sleep } from "node:timers/promises";

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
