import { type Command, Argument } from "commander";
import type { Terminal } from "../../terminal/terminal.ts";

export interface TargetFlags {
  readonly file?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Of `galley mcp` itself: what the server is to serve. */
export interface ServedFlags {
  readonly data: string;
  readonly chat?: string;
}

const clientNames = ["claude-code", "codex", "gemini-cli", "opencode", "cursor", "zed"];

/** `galley mcp install` and `uninstall`: the entry in the settings of a client. */
export function addInstallCommands(mcp: Command, terminal: Terminal): void {
  const define = (name: string, description: string): Command =>
    mcp
      .command(name)
      .description(description)
      .addArgument(new Argument("<client>", "the program").choices(clientNames))
      .option("--file <path>", "this settings file instead of the usual one")
      .option("--yes", "do not ask")
      .option("--json", "print JSON");
  define(
    "install",
    "Adds galley mcp to the settings of a program that starts MCP servers, with the data folder (--data) and the chat (--chat) of this command. Shows the change and asks first.",
  ).action(async (name: string, flags: TargetFlags, command: Command) => {
    const { installEntry } = await import("./install-entry.ts");
    const { data, chat } = command.optsWithGlobals<ServedFlags>();
    await installEntry(name, { ...flags, data, chat }, terminal);
  });
  define(
    "uninstall",
    "Takes the entry out again, to the last byte as it was before where the settings still hold what install has written.",
  ).action(async (name: string, flags: TargetFlags) => {
    const { uninstallEntry } = await import("./install-entry.ts");
    await uninstallEntry(name, flags, terminal);
  });
}
