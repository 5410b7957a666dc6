import type { Compactor } from "./compactor.ts";

/** Does work that yields wherever it may pause. */
export async function runPaused<Result>(
  work: Generator<undefined, Result>,
  pause: NonNullable<Compactor["pause"]> = () => undefined,
): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const pausing = pause();
    if (pausing) await pausing;
  }
}

/** The same at once. */
export function runWhole<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
