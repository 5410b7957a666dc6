import { setFlagsFromString } from "node:v8";

/**
 * Runs `work` without V8's slowest compiler: a process that lives for a third of a second does not get back what that takes.
 * What `work` needs should be loaded before: the cache of compiled code is one for each setting of V8.
 */
export async function inShortRun<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString("--no-turbofan");
  try {
    return await work();
  } finally {
    // Node writes that cache at the end of the process: what was compiled belongs to the usual setting.
    setFlagsFromString("--turbofan");
  }
}
