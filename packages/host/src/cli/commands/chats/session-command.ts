import { GalleyError, type SessionEntry, formatSession, isMessageEntry } from "@galley/engine";
import { counted } from "@galley/engine/logs";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import { withRoutes } from "../../input/connect.ts";
import { writeFiles } from "../../input/files.ts";
import { type PrintFlags, addPrintFlags, requireConfirmation, wholeNumberFrom } from "../../input/options.ts";
import { parsePlace } from "../../input/place-names.ts";
import { removalText } from "../../print/chat-text.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText, numbers, previewOf, renderTable, styled } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { addPinCommands } from "./pin-commands.ts";
import { addGetCommand, addSetCommand } from "./settings-commands.ts";

const examples = `
Examples:
  $ galley session list
  $ galley session search "kerosene tax"
  $ galley session show codex:019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603 --entries 5
  $ galley session set review maxInputTokens=32k language=en
  $ galley session get agent:mara
  $ galley session pin review --message §12
  $ galley session export review --out review.jsonl
  $ galley session delete review --confirm review`;

/** `galley session`: what was imported or recorded can be found, set and erased [V6]. */
export function defineSession(session: Command, terminal: Terminal): void {
  session.description(
    "Lists, searches, shows, sets, exports and deletes the sessions of a data folder: logs and recorded calls.",
  );
  session.addHelpText("after", examples);
  addListCommand(session, terminal);
  addSearchCommand(session, terminal);
  addShowCommand(session, terminal);
  const placeOf = (command: Command) => ({ session: idOf(command) });
  const target = { what: "session", argumentCount: 1, named: withId, placeOf } as const;
  addSetCommand(session, terminal, target);
  addGetCommand(session, terminal, target);
  addPinCommands(session, terminal, target);
  addExportCommand(session, terminal);
  addDeleteCommand(session, terminal);
}

/** The id of a session is the first argument of its command. */
function withId(command: Command): Command {
  return addPrintFlags(command.argument("<session>", "its id; galley session list names them"));
}

function idOf(command: Command): string {
  return parsePlace(command.args[0] ?? "").sessionId;
}

function addListCommand(session: Command, terminal: Terminal): void {
  addPrintFlags(
    session.command("list").description("Lists sessions with a log or recorded calls, newest first."),
  ).action(async (flags: PrintFlags) => {
    const { sessions } = await withRoutes(flags, (ask) => ask("sessions.list", {}));
    const whenEmpty = `${flags.data} has no session yet.`;
    printResult(terminal, flags, { sessions }, () =>
      listText(sessions, terminal, whenEmpty, {
        session: elastic("id"),
        title: ({ title = "" }) => onOneLine(title, 60),
        entries: "entries",
        calls: "calls",
        model: ({ model = "–" }) => model,
        updated: styled("dim", ({ updatedAt }) => new Date(updatedAt).toISOString()),
      }),
    );
  });
}

const usualMatches = 10;

function addSearchCommand(session: Command, terminal: Terminal): void {
  const command = session.command("search").description("Finds sessions by what was said in them, the best first.");
  addPrintFlags(command.argument("<query...>", "words to look for"))
    .option("--limit <count>", `how many sessions at most (default: ${usualMatches})`, wholeNumberFrom(1))
    .action(async (words: readonly string[], flags: PrintFlags & { readonly limit?: number }) => {
      const { limit = usualMatches } = flags;
      const query = words.join(" ");
      const { matches } = await withRoutes(flags, (ask) => ask("sessions.search", { query: { q: query, limit } }));
      const whenEmpty = `No session has ${JSON.stringify(query)}.`;
      printResult(terminal, flags, { matches }, () =>
        listText(matches, terminal, whenEmpty, {
          score: numbers(({ score }) => score.toFixed(2)),
          session: "id",
          title: elastic(({ title = "–" }) => title),
          found: ({ snippet }) => onOneLine(snippet, 100),
        }),
      );
    });
}

function addShowCommand(session: Command, terminal: Terminal): void {
  const command = session.command("show").description("Shows the calls of a session and the end of its log.");
  withId(command)
    .option("--entries <count>", "how many entries of the log, from its end (default: 20)", wholeNumberFrom(0))
    .action(async (_: string, flags: PrintFlags & { readonly entries?: number }) => {
      const id = idOf(command);
      const params = { id };
      const [{ calls, context = {} }, { entries }] = await withRoutes(flags, (ask) =>
        Promise.all([ask("sessions.get", { params }), ask("sessions.entries", { params })]),
      );
      // What was only set is a session as well, as in the list.
      if (calls.length === 0 && entries.length === 0 && Object.keys(context).length === 0)
        throw noSession(id, flags.data);
      const { entries: wanted = 20 } = flags;
      const shown = wanted === 0 ? [] : entries.slice(-wanted);
      const result = { id, entryCount: entries.length, entries: shown, calls, context };
      printResult(terminal, flags, result, () => showText(result, terminal));
    });
}

interface Shown {
  readonly id: string;
  readonly entryCount: number;
  readonly entries: readonly SessionEntry[];
  readonly context: object;
  readonly calls: readonly { readonly n: number; readonly model: string; readonly inputTokens: number }[];
}

const maxCalls = 10;

function showText({ id, entryCount, entries, calls, context }: Shown, terminal: Terminal): string {
  const last = calls.slice(-maxCalls);
  const set = Object.keys(context);
  const parts = [`${id}: ${counted(entryCount, "entries")}, ${counted(calls.length, "calls")}\n`];
  if (set.length > 0) parts.push(`set: ${set.join(", ")} (galley session get ${id})\n`);
  if (last.length > 0)
    parts.push(
      `\n${renderTable(last, terminal, {
        call: ({ n }) => `${id}#${n}`,
        model: "model",
        tokens: numbers(({ inputTokens }) => inputTokens.toLocaleString("en-US")),
      })}\n`,
    );
  if (entries.length > 0)
    parts.push(
      `\n${renderTable(entries, terminal, {
        kind: styled("cyan", (entry) => (entry.type === "message" ? entry.message.role : entry.type)),
        id: styled("dim", "id"),
        text: elastic((entry) => (isMessageEntry(entry) ? onOneLine(previewOf(entry.message), 100) : "")),
      })}\n`,
    );
  return parts.join("");
}

function addExportCommand(session: Command, terminal: Terminal): void {
  const command = session.command("export").description("Writes the log of a session as a file, one entry a line.");
  withId(command)
    .option("-o, --out <file>", "the file (default: standard output)")
    .option("--force", "replace a file that already exists")
    .action(async (_: string, flags: PrintFlags & { readonly out?: string; readonly force?: boolean }) => {
      const id = idOf(command);
      const { entries } = await withRoutes(flags, (ask) => ask("sessions.entries", { params: { id } }));
      if (entries.length === 0) throw noSession(id, flags.data);
      const text = formatSession(entries);
      if (flags.out === undefined) return terminal.out(text);
      await writeFiles([{ file: flags.out, text }], { isForced: flags.force === true });
      const result = { id, out: flags.out, entries: entries.length };
      printResult(terminal, flags, result, `Wrote ${counted(entries.length, "entries")} of ${id} to ${result.out}.\n`);
    });
}

function addDeleteCommand(session: Command, terminal: Terminal): void {
  const command = session
    .command("delete")
    .description("Deletes a session for good: its log, settings, recorded calls and runs.");
  withId(command)
    .option("--confirm <id>", "its id once more")
    .action(async (_: string, flags: PrintFlags & { readonly confirm?: string }) => {
      const id = idOf(command);
      requireConfirmation(flags.confirm, id, `the session ${id} for good`);
      const { removedCopies } = await withRoutes(flags, (ask) =>
        ask("sessions.delete", { params: { id }, query: { confirm: id } }),
      );
      printResult(terminal, flags, { deleted: id, removedCopies }, `Deleted ${id}.\n${removalText(removedCopies)}`);
    });
}

function noSession(id: string, data: string): GalleyError {
  return new GalleyError("NotFound", `${data} has no session ${JSON.stringify(id)}.`, {
    path: id,
    hint: "galley session list names those that there are; a chat is shown with galley chat show.",
  });
}
