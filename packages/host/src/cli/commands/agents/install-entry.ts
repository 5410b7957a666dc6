import { resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { type McpClient, mcpClients, ownEntry, ownServer } from "../../settings/mcp-clients.ts";
import { type SettingsChange, planChange, planRemoval } from "../../settings/plan-change.ts";
import { type SettingsFile, openSettings } from "../../settings/settings-file.ts";
import { printResult } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ServedFlags, TargetFlags } from "./mcp-install-command.ts";
import { launcher, writeChanges } from "./write-changes.ts";

export async function installEntry(name: string, flags: TargetFlags & ServedFlags, terminal: Terminal): Promise<void> {
  const { client, file } = openTarget(name, flags);
  const { data, chat } = flags;
  const args = [launcher, "mcp", "--data", resolve(data), ...(chat === undefined ? [] : ["--chat", chat])];
  const change = planChange(ownEntry(client, client.entry(ownServer(args, process.env))), file);
  await write({ client, file, change }, flags, terminal, "has it already");
}

export async function uninstallEntry(name: string, flags: TargetFlags, terminal: Terminal): Promise<void> {
  const { client, file } = openTarget(name, flags);
  await write({ client, file, change: planRemoval(ownEntry(client), file) }, flags, terminal, "does not have it");
}

interface Target {
  readonly client: McpClient;
  readonly file: SettingsFile;
}

function openTarget(name: string, { file }: TargetFlags): Target {
  const client = mcpClients[name];
  if (!client) throw new GalleyError("BadUsage", `There is no client ${JSON.stringify(name)}.`);
  return { client, file: openSettings(file === undefined ? client.file(process.env) : resolve(file)) };
}

async function write(
  { client: { title }, file, change }: Target & { readonly change: SettingsChange | undefined },
  flags: TargetFlags,
  terminal: Terminal,
  nothing: string,
): Promise<void> {
  if (change) await writeChanges([{ title, file, change }], flags, terminal);
  const { added = "", removed = "" } = change ?? {};
  const result = { client: title, file: file.path, changed: change !== undefined, added, removed };
  const text = change
    ? `Done. ${title} reads its settings when it starts.\n`
    : `${file.path} ${nothing}; nothing was changed.\n`;
  printResult(terminal, flags, result, text);
}
