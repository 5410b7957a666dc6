import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

export function canAsk(terminal: Terminal): boolean {
  return process.stdin.isTTY && terminal.isTerminal;
}

/** Asks on standard error; only "y" and "yes" are a yes. */
export async function askPerson(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}
