import { constants } from "node:os";
import { GalleyError } from "@galley/engine";

export interface SignalWait {
  /** Resolves with the first signal that tells the process to end. */
  readonly signalled: Promise<NodeJS.Signals>;
  /** That signal, once it has come. */
  readonly received: () => NodeJS.Signals | undefined;
  /** Stops waiting; what has come already is still taken care of. */
  readonly forget: () => void;
}

/**
 * One Ctrl+C comes twice to a process whose parent passes signals on, as npm does: once from the terminal and once from
 * the parent. Only what comes later than this, in ms, is a second wish.
 */
const echoMs = 500;

/** Waits to be told to end; a second signal then ends the process at once. */
export function untilSignal(): SignalWait {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let first: NodeJS.Signals | undefined;
  const stopListening = (): void => {
    for (const name of names) process.off(name, take);
  };
  const take = (name: NodeJS.Signals): void => {
    if (first !== undefined) return;
    first = name;
    setTimeout(stopListening, echoMs).unref();
    resolve(name);
  };
  for (const name of names) process.on(name, take);
  return {
    signalled: promise,
    received: () => first,
    forget: () => {
      if (first === undefined) stopListening();
    },
  };
}

/**
 * Does something that a person waits for. Where a signal stops it, they get one message and the exit code by which a
 * shell knows that signal: whatever fails afterwards is only the consequence.
 * @param fail asks for an exit code
 */
export async function interruptible(
  fail: (code: number) => void,
  work: (signalled: Promise<NodeJS.Signals>) => Promise<void>,
): Promise<void> {
  const { signalled, received, forget } = untilSignal();
  try {
    await work(signalled);
  } catch (cause) {
    const signal = received();
    if (signal === undefined) throw cause;
    fail(128 + constants.signals[signal]);
    throw new GalleyError("RunAborted", `Stopped by ${signal}.`, { cause });
  } finally {
    forget();
  }
}
