import { GalleyError } from "@galley/engine";

/** Longer delays overflow, and the timer would then go off at once. */
const maxDelay = 2 ** 31 - 1;

/**
 * Gives up waiting for a provider after its time; what it says later is ignored. When `over` is aborted nobody waits any
 * longer, and the timer goes, which would hold the process.
 */
export async function providerTimeLimit<Value>(
  work: Promise<Value>,
  milliseconds: number,
  over: AbortSignal,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new GalleyError("ProviderFailed", `it gave no answer within ${milliseconds} ms`)),
      Math.min(milliseconds, maxDelay),
    );
    over.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
