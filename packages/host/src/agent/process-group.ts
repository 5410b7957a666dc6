import { readFileSync, readdirSync } from "node:fs";

/**
 * Whether any process of the group still runs. Those that have ended and that nobody has taken note of (in containers often
 * nobody does) run no more, though a signal still reaches them.
 */
export function isGroupAlive(groupId: number): boolean {
  if (!signalGroup(groupId, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && isRunningIn(groupId, name));
}

/** Sends a signal to every process of the group; false when there is none left. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no process groups: only the process itself can be reached there.
    return process.kill(process.platform === "win32" ? groupId : -groupId, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPERM") return true;
    return false;
  }
}

function isRunningIn(groupId: number, pid: string): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything, brackets too.
    const [state, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return Number(group) === groupId && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
