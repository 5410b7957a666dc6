/** Takes all steps of some work at once, and gives what the last one has. */
export function lastOf<Result>(work: Generator<unknown, Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}
