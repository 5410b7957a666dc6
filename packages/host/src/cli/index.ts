import "../disk/runtime/refuse-old-node.ts";
export { type CommandNode, commandTree } from "./print/command-tree.ts";
export { main } from "./main.ts";
export { makeProgram } from "./program.ts";
