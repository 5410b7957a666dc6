import { resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { counted } from "@galley/engine/logs";
import type { Command } from "commander";
import { exists } from "../../../disk/data-files.ts";
import { storeFile } from "../../../disk/store-files.ts";
import { factsCache } from "../../../logs/facts-cache.ts";
import { followLog } from "../../../logs/follow-log.ts";
import { type LogSources, filesOfLog, listLogs } from "../../../logs/list-logs.ts";
import { factsOfSession } from "../../../logs/log-facts.ts";
import { inSmallHeap } from "../../../limits/small-heap.ts";
import { importFound } from "../../../logs/open-log.ts";
import { connect, withAppend } from "../../input/connect.ts";
import { type FolderFlags, addFolderFlags, wholeNumberFrom } from "../../input/options.ts";
import { importText } from "../../print/import-text.ts";
import { printResult, toJson } from "../../terminal/report.ts";
import { elastic, numbers, renderTable, styled } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { interruptible } from "../../terminal/until-signal.ts";

interface LogsFlags extends FolderFlags {
  readonly home?: string;
  readonly limit?: number;
  readonly all?: boolean;
  readonly read?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ galley logs                                  the newest sessions of Claude Code, Codex, pi, opencode, Gemini and Copilot CLI
  $ galley logs --read                           read all files, for tokens and compactions of every session
  $ galley logs open codex:019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603
  $ galley logs open claude-code:5c1f2a9e-7d40-4b1e-9c55-2f6d1e0a7b31 --follow
  $ galley lost claude-code:5c1f2a9e-7d40-4b1e-9c55-2f6d1e0a7b31`;

/** A person sees this many unless they say otherwise. */
const usualLimit = 30;

/** `galley logs`: the sessions of agents on this machine [L3]. */
export function defineLogs(logs: Command, terminal: Terminal, fail: (code?: number) => void): void {
  addFolderFlags(logs)
    .description(
      "Lists the sessions of agents on this machine and those of the data folder, newest first. Nothing is written into the " +
        "agents' folders; what was learned of a file is kept in your cache folder.",
    )
    .option("--home <folder>", "the home folder in which agents keep their sessions (default: yours)")
    .option("--limit <count>", `how many are shown (default: ${usualLimit})`, wholeNumberFrom(1))
    .option("--all", "show all of them")
    .option("--read", "read every file whose figures are not known yet, however many there are")
    .option("--json", "print one JSON document, with all of them")
    .addHelpText("after", examples)
    .action((flags: LogsFlags) => list(flags, terminal));
  const open = logs
    .command("open")
    .description("Imports a session, with its sub-agents, and says where Inspect shows it.");
  addFolderFlags(open.argument("<id>", "the session, as `galley logs` names it"))
    .option("--home <folder>", "the home folder in which agents keep their sessions (default: yours)")
    .option("--follow", "keep the session current while the agent works, until Ctrl+C")
    .option("--json", "print JSON: one document, and with --follow a line for each change")
    .action((id: string, flags: LogsFlags) => openOne(id, { ...logs.opts<LogsFlags>(), ...flags }, terminal, fail));
}

async function list(flags: LogsFlags, terminal: Terminal): Promise<void> {
  const { logs, unread, problems } = await withStored(flags, (sources) =>
    listLogs(sources, { home: homeOf(flags), readAll: flags.read }),
  );
  for (const problem of problems) terminal.err(`${problem}\n`);
  printResult(terminal, flags, { logs, unread, problems }, () => {
    if (logs.length === 0) return "No session of an agent was found. --home names another home folder.\n";
    const shown = flags.all ? logs : logs.slice(0, flags.limit ?? usualLimit);
    const more = logs.length - shown.length;
    const style = styleFor(terminal);
    const notes = [
      ...(more > 0 ? [`and ${more} more; --all lists them`] : []),
      ...(shown.some(({ isWhole }) => !isWhole) ? ["–: not read yet; --read reads all files"] : []),
      `open one: galley logs open ${shown[0]?.id ?? "ID"}`,
    ];
    return `${renderTable(shown, terminal, {
      updated: styled("dim", ({ updatedAt }) => new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ")),
      session: "id",
      title: elastic(({ title = "–" }) => title),
      folder: ({ folder = "–" }) => folder.split(/[\\/]/).slice(-2).join("/"),
      size: numbers(({ size }) => (size === undefined ? "–" : sizeText(size))),
      tokens: numbers(({ tokens }) => figure(tokens)),
      compactions: numbers(({ compactions }) => figure(compactions)),
      here: ({ isStored }) => (isStored ? "yes" : ""),
    })}\n\n${notes.map((note) => `${style.dim(note)}\n`).join("")}`;
  });
}

// Without `Intl`, which takes longer to load than the list to be made.
const figure = (value: number | undefined): string => value?.toString().replace(/\B(?=(?:\d{3})+$)/g, ",") ?? "–";

function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function openOne(id: string, flags: LogsFlags, terminal: Terminal, fail: (code?: number) => void): Promise<void> {
  const where = { home: homeOf(flags) };
  const files = await filesOfLog(id, where);
  await interruptible(fail, (signalled) =>
    withAppend(flags, async (append) => {
      const stop = new AbortController();
      void signalled.then(() => stop.abort());
      const checkStop = (): void => {
        if (stop.signal.aborted) throw new GalleyError("RunAborted", "The import was stopped.");
      };
      const opened = await inSmallHeap(() => importFound(id, files, append, { checkStop }));
      const link = await linkTo(id, flags);
      if (flags.json)
        terminal.out(flags.follow ? `${JSON.stringify({ ...opened, link })}\n` : toJson({ ...opened, link }));
      else
        terminal.out(`${importText(opened.sessions, opened.notes, terminal)}\n${linkText(link, id, flags, terminal)}`);
      if (!flags.follow) return;
      if (!flags.json) terminal.err("Following; Ctrl+C ends it.\n");
      for await (const step of followLog(() => filesOfLog(id, where), append, { signal: stop.signal })) {
        if (flags.json) terminal.out(`${JSON.stringify(step)}\n`);
        else terminal.err(`${new Date().toISOString().slice(11, 19)}  new: ${counted(step.added, "entries")}\n`);
      }
    }),
  );
}

/** Where Inspect shows a session; nothing where no daemon serves Studio. */
async function linkTo(id: string, { data, token }: FolderFlags): Promise<string | null> {
  const { findDaemon } = await import("../../../daemon/client/running-daemon.ts");
  const daemon = await findDaemon(resolve(data), token);
  return daemon ? `${daemon.url}/sessions/${encodeURIComponent(id)}` : null;
}

function linkText(link: string | null, id: string, { data }: FolderFlags, terminal: Terminal): string {
  const style = styleFor(terminal);
  if (link !== null) return `${style.dim("Inspect:")} ${link}\n`;
  return `${style.dim("Inspect:")} galley up --data ${data}, then /sessions/${encodeURIComponent(id)}\n`;
}

function homeOf({ home }: LogsFlags): string | undefined {
  return home === undefined ? undefined : resolve(home);
}

/** The sessions of the data folder, through its daemon or from its store; none where it has no store yet. */
async function withStored<Result>(flags: LogsFlags, work: (sources: LogSources) => Promise<Result>): Promise<Result> {
  const storeName = resolve(flags.data);
  const base = { storeName, cache: factsCache() };
  const daemon = await connect(flags);
  if (daemon) {
    const { sessions } = await daemon.call("sessions.list", {});
    const factsOfStored: LogSources["factsOfStored"] = async (id) =>
      factsOfSession(id, (await daemon.call("sessions.entries", { params: { id } })).entries);
    return work({ ...base, stored: sessions, factsOfStored });
  }
  if (!exists(storeFile(flags.data))) {
    return work({ ...base, stored: [], factsOfStored: async (id) => factsOfSession(id, []) });
  }
  const { openStore } = await import("../../../store/open-store.ts");
  const store = await openStore({ data: flags.data });
  try {
    const refOf = (sessionId: string) => ({ projectId: "default", sessionId });
    const factsOfStored: LogSources["factsOfStored"] = async (id) =>
      factsOfSession(id, await store.sessions.read(refOf(id)));
    return await work({ ...base, stored: await store.sessions.list("default"), factsOfStored });
  } finally {
    await store.close();
  }
}
