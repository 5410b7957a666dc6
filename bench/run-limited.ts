import { spawn } from "node:child_process";
import { signalGroup } from "../packages/host/src/agents/process-group.ts";

/** How a program has ended. */
interface ProgramEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a Node program to its end, or for this many ms: then it is ended with everything that it has started. */
export async function runLimited(args: readonly string[], longest: number): Promise<ProgramEnd> {
  const child = spawn(process.execPath, args, { stdio: "inherit", detached: process.platform !== "win32" });
  const end = (): void => {
    if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
  };
  // A group of its own does not hear Ctrl+C.
  const leave = (): void => {
    end();
    process.exit(130);
  };
  const timer = setTimeout(end, longest);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (status, signal) => resolve({ status, signal }));
    });
  } finally {
    clearTimeout(timer);
    // What a suite has left behind must not run beside the next measurement.
    end();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, leave);
  }
}
