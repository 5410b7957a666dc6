/** Takes all steps of some work at once, and gives what the last one has. */
export function lastOf<Result>(work: Generator<unknown, Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

/** The last index before `end` for which a test holds that holds up to some index, and for none behind it; `start` where it holds for none. */
export function lastWhere(start: number, end: number, holds: (index: number) => boolean): number {
  let low = start;
  let high = end - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
