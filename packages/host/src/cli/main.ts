import { type Command, CommanderError } from "commander";
import { programFor } from "./program.ts";
import { type Terminal, processTerminal } from "./terminal/terminal.ts";

/** Runs the command; gives the exit code: 0, 1 for an error, 2 for a wrong call, 128 and the signal's number where one ended it. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let exitCode = 0;
  const program = await programFor(args, terminal, (code = 1) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(helpAsOption(program, args), { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Loaded when something is wrong: `--version` and the help do without the engine.
    const { reportError, usageError } = await import("./terminal/report.ts");
    const isJson = args.includes("--json");
    if (!(error instanceof CommanderError)) return Math.max(exitCode, reportError(error, terminal, isJson));
    // Where a command was left open its help has been printed, which says it all.
    if (error.code === "commander.help") return 2;
    return reportError(usageError(error, commandPath(program, args)), terminal, isJson);
  }
}

/** `galley help box pack` means `galley box pack --help`; the parser itself would give the help of `box`. */
function helpAsOption(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...names] = args;
  if (first !== "help" || names.length === 0) return args;
  const [, ...path] = commandPath(program, names);
  // Help for a command that does not exist would be the help of all; called itself, it is refused with a suggestion.
  return path.length === 0 ? names : [...path, "--help"];
}

/** The names of the command that the arguments lead to, as far as they are names: `galley chat new`. */
function commandPath(program: Command, args: readonly string[]): readonly string[] {
  const [name] = args;
  const child = program.commands.find((command) => command.name() === name);
  return child ? [program.name(), ...commandPath(child, args.slice(1))] : [program.name()];
}
