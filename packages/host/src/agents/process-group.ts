import { spawnSync } from "node:child_process";
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

/** When a process was started, in the system's own words: a number may be given to another process later. */
export function processStart(pid: number): string {
  if (process.platform === "linux") return statOf(pid)[19] ?? "";
  if (process.platform === "win32") return "";
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}

function isRunningIn(groupId: number, pid: string): boolean {
  const [state, , group] = statOf(pid);
  return Number(group) === groupId && state !== "Z" && state !== "X";
}

/** What Linux says of a process, behind its name; nothing when it is gone. */
function statOf(pid: number | string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything, brackets too.
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
