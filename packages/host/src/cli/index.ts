export { type CommandNode, commandTree } from "./command-tree.ts";
export { main } from "./main.ts";
export { makeProgram } from "./program.ts";
