import { resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import type { AttachableAgent } from "../../../logs/read-piece.ts";
import { isInside } from "../../../disk/user-file.ts";
import { forgetTags, tagFolder } from "../../../logs/attached-logs.ts";
import { type DataFlags, dataOption } from "../../input/options.ts";
import { attachables, hooksFor, notAttachable, ownHooks } from "../../settings/attachable.ts";
import { readRecord } from "../../settings/install-record.ts";
import { hasOwnServer, mcpClients, ownEntry, ownServer } from "../../settings/mcp-clients.ts";
import { type SettingsChange, planChange, planRemoval } from "../../settings/plan-change.ts";
import { openSettings } from "../../settings/settings-file.ts";
import { printResult } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type PlannedChange, launcher, writeChanges } from "./write-changes.ts";

interface AttachFlags extends DataFlags {
  readonly yes?: boolean;
}

const agentArgument = "claude-code or codex";

/** `galley attach`: a hook and the MCP entry in the settings of an agent [L7]. */
export function defineAttach(command: Command, terminal: Terminal): void {
  command
    .description(
      "After each compaction of the agent, its model is told the names of the session that it most likely needs, in at most " +
        "1,500 tokens, with handles by which context_recall gives back the passages. Adds a hook and galley mcp to the agent's " +
        "own settings; shows the change and asks first. galley detach takes it out again; galley lost says what compactions lose.",
    )
    .argument("<agent>", agentArgument)
    .addOption(dataOption("the data folder of galley mcp, where it is not in the settings yet"))
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action(async (name: string, flags: AttachFlags) => {
      const agent = agentNamed(name);
      refuseTagsIn(resolve(flags.data));
      const changes = [...planServer(agent, flags.data), ...planOwnHooks(agent)];
      await writeChanges(changes, flags, terminal);
      const { title, note } = attachables[agent];
      const done = changes.length > 0 ? `Done. ${title} reads its settings when it starts.` : `${title} is attached.`;
      report(changes, { ...flags, agent, notes: note === undefined ? [] : [note] }, terminal, done);
    });
}

/** `galley detach`: what `attach` has put in, and the tags of the agent's logs. */
export function defineDetach(command: Command, terminal: Terminal): void {
  command
    .description(
      "Takes out what galley attach has put into the settings of an agent: to the last byte as it was before where nothing " +
        "else has changed the file there, and otherwise without touching the rest. The tags of its logs are removed, so that no " +
        "handle opens them any more.",
    )
    .argument("<agent>", agentArgument)
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action(async (name: string, flags: AttachFlags) => {
      const agent = agentNamed(name);
      const program = attachables[agent];
      const hooks = openSettings(program.file(process.env));
      const client = mcpClients[agent];
      const server = client && openSettings(client.file(process.env));
      const isOurs = server !== undefined && readRecord(server.path)?.by === "attach";
      const changes = [
        ...planned(program.title, hooks, planRemoval(ownHooks(program, []), hooks)),
        ...(client && isOurs ? planned(client.title, server, planRemoval(ownEntry(client), server)) : []),
      ];
      await writeChanges(changes, flags, terminal);
      const tags = forgetTags(agent);
      const done = changes.length > 0 ? `Done. ${program.title} is as before.` : `${program.title} is not attached.`;
      const notes = tags > 0 ? [`Handles of its logs (${tags}) open nothing any more.`] : [];
      report(changes, { ...flags, agent, notes }, terminal, done);
    });
}

function agentNamed(name: string): AttachableAgent {
  if (Object.hasOwn(attachables, name)) return name as AttachableAgent;
  const why = Object.hasOwn(notAttachable, name) ? notAttachable[name] : undefined;
  const names = Object.keys(attachables).join(" and ");
  if (why === undefined) {
    throw new GalleyError("BadUsage", `There is no agent ${JSON.stringify(name)} that can be attached.`, {
      path: "agent",
      hint: `${names} can be.`,
    });
  }
  const instead = Object.hasOwn(mcpClients, name)
    ? `galley mcp install ${name} gives it the tools; its compactions stay as they are. `
    : "";
  throw new GalleyError("BadUsage", `${why} It cannot be attached.`, {
    path: "agent",
    hint: `${instead}${names} can be.`,
  });
}

/** Tags open logs: a folder that may be handed on must not hold them. */
function refuseTagsIn(dataFolder: string): void {
  const opened = tagFolder();
  if ("problem" in opened) {
    throw new GalleyError("UnsafePath", `Nothing was changed: ${opened.problem}`, {
      hint: "The tags of logs are kept in your state folder (XDG_STATE_HOME), which must be yours alone.",
    });
  }
  if (isInside(opened.folder, dataFolder)) {
    throw new GalleyError("UnsafePath", `Nothing was changed: ${opened.folder} is inside of the data folder.`, {
      path: opened.folder,
      hint: "Name another data folder with --data, or another state folder with XDG_STATE_HOME.",
    });
  }
}

/** One that is there already stays: it may serve another data folder. */
function planServer(agent: AttachableAgent, data: string): readonly PlannedChange[] {
  const client = mcpClients[agent];
  if (!client) return [];
  const file = openSettings(client.file(process.env));
  if (hasOwnServer(client, file)) return [];
  const args = [launcher, "mcp", "--data", resolve(data)];
  const change = planChange(ownEntry(client, client.entry(ownServer(args, process.env))), file);
  const record = change?.record && { ...change.record, by: "attach" as const };
  return planned(client.title, file, change && { ...change, record });
}

function planOwnHooks(agent: AttachableAgent): readonly PlannedChange[] {
  const program = attachables[agent];
  const file = openSettings(program.file(process.env));
  const hooks = hooksFor(agent, [process.execPath, launcher]);
  return planned(program.title, file, planChange(ownHooks(program, hooks), file));
}

function planned(
  title: string,
  file: PlannedChange["file"],
  change: SettingsChange | undefined,
): readonly PlannedChange[] {
  return change ? [{ title, file, change }] : [];
}

function report(
  changes: readonly PlannedChange[],
  { agent, notes, json }: Pick<AttachFlags, "json"> & { readonly agent: string; readonly notes: readonly string[] },
  terminal: Terminal,
  done: string,
): void {
  const files = changes.map(({ file: { path }, change: { added, removed } }) => ({ file: path, added, removed }));
  const result = { agent, changed: files.length > 0, files, notes };
  printResult(terminal, { json }, result, () => [done, ...notes, ""].join("\n"));
}
