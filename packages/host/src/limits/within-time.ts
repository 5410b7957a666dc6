import { GalleyError } from "@galley/engine";

/** Longer delays overflow, and the timer would then go off at once. */
const maxDelay = 2 ** 31 - 1;

/**
 * Runs something that may hang. After the time limit its signal is aborted and the promise rejects, whether the signal was
 * heeded or not.
 */
export async function withinTime<Value>(
  milliseconds: number,
  what: string,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Not AbortSignal.timeout: its timer does not hold the process, which would end with the promise still open.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const error = new GalleyError("CompactionFailed", `The ${what} gave no answer within ${milliseconds} ms.`, {
          hint: "Raise the time limit, or take a faster model.",
          retryable: true,
        });
        reject(error);
        controller.abort(error);
      },
      Math.min(milliseconds, maxDelay),
    );
  });
  try {
    return await Promise.race([Promise.resolve(controller.signal).then(run), late]);
  } finally {
    clearTimeout(timer);
  }
}
