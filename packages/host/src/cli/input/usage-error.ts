import { GalleyError } from "@galley/engine";
import type { Command, CommanderError } from "commander";
import { commandPath } from "./command-path.ts";

/** What the parser of the command line refuses, as one of our errors: with a code, and with where to read on. */
export function usageError({ message }: CommanderError, program: Command, args: readonly string[]): GalleyError {
  const [said = "", suggestion] = message.replace(/^error: /, "").split(/\n\((.*)\)$/s);
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  const help = `${commandPath(program, args).join(" ")} --help`;
  return new GalleyError("BadUsage", text.endsWith(".") ? text : `${text}.`, {
    hint: suggestion === undefined ? help : `${suggestion} ${help}`,
  });
}
