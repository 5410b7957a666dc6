import { GalleyError } from "@galley/engine";
import type { Command, CommanderError } from "commander";

/** What the parser of the command line refuses, as one of our errors: with a code, and with where to read on. */
export function usageError({ message }: CommanderError, program: Command, args: readonly string[]): GalleyError {
  const [said = "", suggestion] = message.replace(/^error: /, "").split(/\n\((.*)\)$/s);
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  const help = `${commandPath(program, args).join(" ")} --help`;
  return new GalleyError("BadUsage", text.endsWith(".") ? text : `${text}.`, {
    hint: suggestion === undefined ? help : `${suggestion} ${help}`,
  });
}

/** The names of the command that the arguments lead to, as far as they are names: `galley chat new`. */
export function commandPath(program: Command, args: readonly string[]): readonly string[] {
  const [name] = args;
  const child = program.commands.find((command) => command.name() === name);
  return child ? [program.name(), ...commandPath(child, args.slice(1))] : [program.name()];
}
