// Plain JavaScript, because the Node that runs it may be an older one.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** What ends a program from outside. */
const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * Runs a program to its end and passes on the signals that come meanwhile. A parent that only waits would die of them and
 * leave the program running. (Windows tells all programs of a console by itself, and could only kill the child.)
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<{ readonly code: number | null, readonly signal: NodeJS.Signals | null }>}
 */
export async function runProgram(program, args, options = { stdio: "inherit" }) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => {
    if (process.platform !== "win32") child?.kill(signal);
  };
  for (const signal of signals) process.on(signal, passOn);
  try {
    const started = spawn(program, args, options);
    child = started;
    return await new Promise((resolve, reject) => {
      started.once("error", reject);
      started.once("exit", (code, signal) => resolve({ code, signal }));
    });
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}

/**
 * Ends this process as the program has ended: by the same signal, so that a shell sees what happened, or with its code.
 * @param {{ readonly code: number | null, readonly signal: NodeJS.Signals | null }} end
 */
export function endAs({ code, signal }) {
  // Where the signal does not end this process, the code says the same as a shell does.
  process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  if (signal !== null && process.platform !== "win32") process.kill(process.pid, signal);
}

/**
 * Goes on as another program: in the same process where this Node can do that, else in a child.
 * @param {string} program
 * @param {readonly string[]} args
 */
export async function become(program, args) {
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(program, [program, ...args]);
  }
  endAs(await runProgram(program, args));
}
