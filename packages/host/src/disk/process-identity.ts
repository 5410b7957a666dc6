import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Names one run of one process: a number that was given again to another process is told apart by its start. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly host: string;
  /** Names the run of the machine, where the system tells. */
  readonly boot: string;
  /** Names the set of processes among which the number means something (containers have their own). */
  readonly space: string;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    start: startOf(process.pid) ?? "",
    host: hostname(),
    boot: bootId(),
    space: processSpace(),
  };
  return own;
}

/** Whether the process is still there; `unknown` when it belongs to another machine or container. */
export function fateOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const { host, boot, space, pid } = ownIdentity();
  if (identity.host !== host) return "unknown";
  if (identity.boot !== boot) return "dead";
  if (identity.space !== space) return "unknown";
  if (identity.pid === pid) return identity.start === ownIdentity().start ? "alive" : "dead";
  const start = startOf(identity.pid);
  return start !== undefined && start === identity.start ? "alive" : "dead";
}

/** When a process started, in the system's own words; nothing when there is no such process any more. */
export function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return runningStat(pid)?.[19];
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return undefined;
  }
  if (process.platform === "win32") return "";
  return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() ?? "";
}

/** What Linux says of a process behind its name, its state first; nothing when it has ended. */
export function runningStat(pid: number | string): readonly string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The name stands in brackets and may hold anything, brackets too.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" || fields?.[0] === "X" ? undefined : fields;
}

function bootId(): string {
  return process.platform === "linux" ? (readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "") : "";
}

function processSpace(): string {
  if (process.platform !== "linux") return "";
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
