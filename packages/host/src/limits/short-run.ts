import { setFlagsFromString } from "node:v8";

/**
 * How V8 compiles in a process that lives for a third of a second, and how it does otherwise. Its slowest compiler takes longer
 * for a function than such a process gets back, and so does the one before it where a function did not run often; what either
 * needs to know of a function is noted from its first call on.
 */
const settings = [
  ["--no-turbofan", "--turbofan"],
  ["--invocation-count-for-maglev=1600", "--invocation-count-for-maglev=400"],
  ["--no-lazy-feedback-allocation", "--lazy-feedback-allocation"],
] as const;

/**
 * Runs `work` with these settings. What it needs should be loaded before: the cache of compiled code is one for each setting.
 */
export async function inShortRun<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const [short] of settings) setFlagsFromString(short);
  try {
    return await work();
  } finally {
    // Node writes that cache at the end of the process: what was compiled belongs to the usual settings.
    for (const [, usual] of settings) setFlagsFromString(usual);
  }
}
