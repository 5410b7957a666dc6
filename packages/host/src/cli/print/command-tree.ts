import type { Command, Option } from "commander";
import { placeKinds } from "../../api/place-id.ts";

/** One command as shells and pages need it. */
export interface CommandNode {
  /** Without `galley` itself: `chat new`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly Option[];
  /** What its first argument may be, where that is a choice. */
  readonly choices: readonly string[];
  /** How its first argument may begin, where that is a place, which may be a file as well. */
  readonly beginnings: readonly string[];
  readonly children: readonly CommandNode[];
  readonly command: Command;
}

/** The commands below `program` in the order of the help; the hidden ones are left out. */
export function commandTree(program: Command, path: readonly string[] = []): CommandNode {
  const help = program.createHelp();
  const children = help.visibleCommands(program).filter((child) => child.name() !== "help" && child !== program);
  return {
    path,
    summary: program.summary() || program.description(),
    options: help.visibleOptions(program),
    choices: program.registeredArguments[0]?.argChoices ?? [],
    beginnings: program.registeredArguments[0]?.name() === "place" ? placeKinds.map((kind) => `${kind}:`) : [],
    children: children.map((child) => commandTree(child, [...path, child.name()])),
    command: program,
  };
}

export function flattenTree(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(flattenTree)];
}
