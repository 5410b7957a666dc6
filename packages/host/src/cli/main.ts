import { CommanderError } from "commander";
import { makeProgram } from "./program.ts";
import { reportError } from "./report.ts";
import { type Terminal, processTerminal } from "./terminal.ts";

/** Runs the command; gives the exit code: 0, 1 for an error, 2 for a call that makes no sense. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let exitCode = 0;
  const program = makeProgram(terminal, () => {
    exitCode = 1;
  });
  try {
    if (args.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportError(error, terminal, args.includes("--json"));
  }
}
