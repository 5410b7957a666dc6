import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runningStat } from "../disk/process-identity.ts";

/** Whether any process of the group still runs; zombies, which a signal still reaches, do not count. */
export function isGroupAlive(groupId: number): boolean {
  if (!signalGroup(groupId, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && Number(runningStat(name)?.[2]) === groupId);
}

/** Sends a signal to every process of the group; false when there is none left. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no process groups: only the process itself can be reached there.
    return process.kill(process.platform === "win32" ? groupId : -groupId, signal);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

const firstPauseMs = 5;
const maxPauseMs = 100;

/** Waits for as long as something is true, and at most for a time. */
export async function waitWhile(isTrue: () => boolean, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  for (let pause = firstPauseMs; isTrue() && performance.now() < end; pause = Math.min(pause * 2, maxPauseMs)) {
    await sleep(pause);
  }
}
