import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const intervalMs = 500;

/**
 * npm runs a script through a shell. Signals that end npm or that shell do not reach the script, which would go on without
 * them; so it checks whether both are still there, and takes the end of either for a SIGTERM.
 */
export function stopWithNpm(): void {
  if (process.env["npm_lifecycle_event"] === undefined || process.platform === "win32") return;
  const { ppid } = process;
  const npm = npmAbove(ppid);
  const timer = setInterval(() => {
    if (process.ppid === ppid && isThere(npm)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, intervalMs);
  timer.unref();
}

/** A shell that stays beside its only command is between us and npm; one that becomes its command is not. */
function npmAbove(pid: number): number {
  const [, name = "", parent = ""] = /^\d+ \((.*)\) \S (\d+)/s.exec(statusOf(pid)) ?? [];
  return /^(?:.*\/)?[a-z]*sh$/.test(name) ? Number(parent) : pid;
}

function statusOf(pid: number): string {
  if (process.platform === "linux") return readFileSync(`/proc/${pid}/stat`, "utf8");
  const { stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim().replace(/^(\d+)\s+(.*)$/s, `${pid} ($2) S $1`);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
