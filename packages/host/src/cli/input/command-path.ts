import type { Command } from "commander";

/** The names of the command that the arguments lead to, as far as they are names: `galley chat new`. */
export function commandPath(program: Command, args: readonly string[]): readonly string[] {
  const [name] = args;
  const child = program.commands.find((command) => command.name() === name);
  return child ? [program.name(), ...commandPath(child, args.slice(1))] : [program.name()];
}
