import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import type { TimeLimits } from "../config/time-limits.ts";
import { isGroupAlive, signalGroup, waitWhile } from "./process-group.ts";

export interface AgentProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is taken from this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Pick<TimeLimits, "agentGraceMs">;
}

/** How a process ended: with a code, or by a signal. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that runs in a process group of its own, so that it can be stopped with everything that it started. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  errorTail(): string;
  /** Resolves when the program has ended, for whatever reason. */
  readonly exited: Promise<AgentExit>;
  /** Ends its input, then asks, then forces; resolves when nothing of the group is left. May be called again. */
  stop(): Promise<AgentExit>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How much of its standard error is kept, in characters. */
const tailLength = 8192;
/** How long what was ended by force may take to be gone: nothing harder comes behind it, and a loaded machine is slow. */
const forcedLimitMs = 30_000;

export async function startAgentProcess(options: AgentProcessOptions): Promise<AgentProcess> {
  const { command, args, cwd, env } = options;
  const { agentGraceMs: graceMs } = options.limits;
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const exited = new Promise<AgentExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // A write to a program that has just ended must not end us as well: its exit says why.
  child.stdin.on("error", () => {});
  const errorTail = keepTail(child.stderr);
  const pid = await whenSpawned(child, options);
  let stopped: Promise<AgentExit> | undefined;
  const stop = async (): Promise<AgentExit> => {
    child.stdin.end();
    await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (!isGroupAlive(pid)) break;
      signalGroup(pid, signal);
      await waitWhile(() => isGroupAlive(pid), signal === "SIGKILL" ? Math.max(graceMs, forcedLimitMs) : graceMs);
    }
    const exit = await exited;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    return exit;
  };
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    errorTail,
    exited,
    stop: () => (stopped ??= stop()),
  };
}

function whenSpawned(child: Child, { command, cwd }: AgentProcessOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => {
      // Later errors (a signal that could not be sent) are seen by their effect.
      child.on("error", () => {});
      resolve(child.pid ?? 0);
    });
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === "ENOENT" ? "there is no such program, or no such folder" : (cause.code ?? "unknown");
      reject(
        new GalleyError("AgentFailed", `${command} could not be started in ${cwd}: ${reason}.`, {
          path: "command",
          hint: "Check that the program is installed and can be found in PATH, and that the folder exists.",
          cause,
        }),
      );
    });
  });
}

function keepTail(stream: Readable): () => string {
  let tail = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    tail = (tail + text).slice(-tailLength);
  });
  stream.on("error", () => {});
  return () => tail;
}
