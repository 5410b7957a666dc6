import { resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { type Command, Argument } from "commander";
import type { McpClient } from "../../settings/mcp-clients.ts";
import type { SettingsChange } from "../../settings/plan-change.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { printResult } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { launcher, writeChanges } from "./write-changes.ts";

interface TargetFlags {
  readonly file?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface ParentFlags {
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
    const target = await openTarget(name, flags);
    const { data, chat } = command.optsWithGlobals<ParentFlags & TargetFlags>();
    const args = [launcher, "mcp", "--data", resolve(data), ...(chat === undefined ? [] : ["--chat", chat])];
    const [{ planChange }, { ownEntry, ownServer }] = await Promise.all([
      import("../../settings/plan-change.ts"),
      import("../../settings/mcp-clients.ts"),
    ]);
    const change = planChange(ownEntry(target.client, target.client.entry(ownServer(args, process.env))), target.file);
    if (change) await writeChanges([{ title: target.client.title, file: target.file, change }], flags, terminal);
    report(target, change, flags, terminal, "has it already");
  });
  define(
    "uninstall",
    "Takes the entry out again, to the last byte as it was before where the settings still hold what install has written.",
  ).action(async (name: string, flags: TargetFlags) => {
    const target = await openTarget(name, flags);
    const [{ planRemoval }, { ownEntry }] = await Promise.all([
      import("../../settings/plan-change.ts"),
      import("../../settings/mcp-clients.ts"),
    ]);
    const change = planRemoval(ownEntry(target.client), target.file);
    if (change) await writeChanges([{ title: target.client.title, file: target.file, change }], flags, terminal);
    report(target, change, flags, terminal, "does not have it");
  });
}

interface Target {
  readonly client: McpClient;
  readonly file: SettingsFile;
}

async function openTarget(name: string, { file }: TargetFlags): Promise<Target> {
  const [{ mcpClients }, { openSettings }] = await Promise.all([
    import("../../settings/mcp-clients.ts"),
    import("../../settings/settings-file.ts"),
  ]);
  const client = mcpClients[name];
  if (!client) throw new GalleyError("BadUsage", `There is no client ${JSON.stringify(name)}.`);
  return { client, file: openSettings(file === undefined ? client.file(process.env) : resolve(file)) };
}

function report(
  { client, file }: Target,
  change: SettingsChange | undefined,
  flags: TargetFlags,
  terminal: Terminal,
  nothing: string,
): void {
  const { added = "", removed = "" } = change ?? {};
  const result = { client: client.title, file: file.path, changed: change !== undefined, added, removed };
  const text = change
    ? `Done. ${client.title} reads its settings when it starts.\n`
    : `${file.path} ${nothing}; nothing was changed.\n`;
  printResult(terminal, flags, result, () => text);
}
