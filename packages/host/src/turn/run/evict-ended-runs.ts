import type { RunHandle } from "./run-handle.ts";

/** Runs that have ended stay for readers who come late. */
const keptRuns = 200;
/** Of all of them together: long replies have an event for each word. */
const keptEvents = 100_000;

/** Takes a run in, and lets go of those that ended long ago; the store knows them. */
export function evictEndedRuns(known: Map<string, RunHandle>, handle: RunHandle): void {
  known.set(handle.runId, handle);
  let [runs, events] = [0, 0];
  for (const ended of [...known.values()].filter(({ isOver }) => isOver).reverse()) {
    runs += 1;
    events += ended.size;
    if (runs > keptRuns || events > keptEvents) known.delete(ended.runId);
  }
}
