import { type Command, CommanderError } from "commander";
import { makeProgram } from "./program.ts";
import { reportError } from "./report.ts";
import { type Terminal, processTerminal } from "./terminal.ts";
import { usageError } from "./usage-error.ts";

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
    await program.parseAsync(isHelpForNothing(program, args) ? args.slice(1) : args, { from: "user" });
    return exitCode;
  } catch (error) {
    const isJson = args.includes("--json");
    if (!(error instanceof CommanderError)) return reportError(error, terminal, isJson);
    if (error.exitCode === 0) return 0;
    // Where a command was left open its help has been printed, which says it all.
    return error.code === "commander.help" ? 2 : reportError(usageError(error, program, args), terminal, isJson);
  }
}

/** Help for a command that does not exist would be the help of all; called itself, it is refused with a suggestion. */
function isHelpForNothing(program: Command, [first, name]: readonly string[]): boolean {
  return first === "help" && name !== undefined && !program.commands.some((command) => command.name() === name);
}
