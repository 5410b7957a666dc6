import {
  type InputCheck,
  anyListCheck,
  fieldsCheck,
  functionCheck,
  listCheck,
  numberCheck,
  textCheck,
  wrongInput,
} from "../model/check/input.ts";
import type { MessageEntry, NameIndex, SessionEntry } from "../model/entries.ts";
import { handleOf, recallToolName } from "../model/handle.ts";
import type { ModelMessage } from "../model/messages.ts";
import { namesIn, saidIn } from "../model/names.ts";
import { runWhole } from "./compactor/run-paused.ts";
import { growIndex, likelyNames } from "./compactor/name-index.ts";
import { namesShower } from "./compactor/show-names.ts";
import { checkEntry, isPlainMessage } from "./log/check-entry.ts";
import { roughTokens } from "./log/measure.ts";

/** The names of an agent's own log as far as it was read, as plain data: what is added to the log is read on from here [L7]. */
export interface LogNames extends NameIndex {
  /** How many messages were read: the handle of the next is one more. */
  readonly messages: number;
  /** Names that the agent's own compaction kept, as long as nothing was replied to it; `null` where none is known. */
  readonly kept: readonly string[] | null;
}

export interface LogNamesOptions {
  /** Of the whole text. */
  readonly maxTokens: number;
  readonly maxCharacters: number;
  readonly countTokens: (text: string) => number;
}

/** With what a reminder begins: it is about the log, and not part of what was said in it. */
const mark = "[Galley: names from before the compaction]";
/** Tokens that the two parts may have more together than apart. */
const seam = 4;
const maxRows = 2000;
/** How old a name is, is told in what an agent sends at once. */
const window = 32_000;

const rowCheck: InputCheck = (value, path) => {
  if (!isRow(value)) throw wrongInput(path, "a name and four numbers", value);
};
function isRow(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 5 || typeof value[0] !== "string") return false;
  for (let at = 1; at < 5; at += 1) if (typeof value[at] !== "number") return false;
  return true;
}
const keptCheck: InputCheck = (value, path) => {
  if (value !== null) listCheck(textCheck)(value, path);
};
const namesFields = fieldsCheck(
  { rows: listCheck(rowCheck), tokens: numberCheck, messages: numberCheck, kept: keptCheck },
  ["rows", "tokens", "messages", "kept"],
);
// Names never change: what was checked or made here is not checked again.
const knownNames = new WeakSet<object>();
const namesCheck: InputCheck = (value, path) => {
  if (knownNames.has(value as object)) return;
  namesFields(value, path);
  knownNames.add(value as object);
};
const optionsCheck = fieldsCheck(
  { maxTokens: numberCheck, maxCharacters: numberCheck, countTokens: functionCheck, tag: textCheck },
  ["maxTokens", "maxCharacters", "countTokens"],
);

/**
 * The messages of an agent's log in the order in which it has them, each with the number that its handle has: all but what
 * Galley itself reminded the agent of. Branches are not told apart: a log only grows, and so handles stay.
 */
export function messagesOfLog(entries: readonly SessionEntry[]): readonly MessageEntry[] {
  anyListCheck(entries, "entries");
  for (const entry of entries as readonly (SessionEntry | undefined)[])
    if (!entry || !(isPlainMessage(entry) || isPlainCompaction(entry))) checkEntry(entry, entries);
  return entries.filter((entry): entry is MessageEntry => entry.type === "message" && !isReminder(entry.message));
}

/** True for a compaction of which all is valid that is read here. */
function isPlainCompaction(entry: SessionEntry): boolean {
  if (entry.type !== "compaction" || typeof entry.id !== "string") return false;
  const { summary, firstKeptEntryId, carried = [] }: { readonly [Key in keyof typeof entry]?: unknown } = entry;
  if (firstKeptEntryId !== null && typeof firstKeptEntryId !== "string") return false;
  if (summary !== undefined && typeof summary !== "string") return false;
  return Array.isArray(carried) && (carried as readonly SessionEntry[]).every(isPlainMessage);
}

/** The names of a log with what was added to it since [R3]. */
export function growLogNames(before: LogNames | undefined, entries: readonly SessionEntry[]): LogNames {
  if (before !== undefined) namesCheck(before, "before");
  const messages = messagesOfLog(entries);
  if (before !== undefined && entries.length === 0) return before;
  const first = (before?.messages ?? 0) + 1;
  const unread = messages.map(({ message }, index) => ({
    message,
    tokens: roughTokens(message),
    ordinal: first + index,
  }));
  const grown = {
    ...runWhole(growIndex(before, unread, { maxRows, window })),
    messages: first - 1 + messages.length,
    kept: keptNames(before?.kept ?? null, entries),
  };
  knownNames.add(grown);
  return grown;
}

/** What the window shows after a compaction. A reply means that it was shown, and that more has come since. */
function keptNames(before: LogNames["kept"], entries: readonly SessionEntry[]): LogNames["kept"] {
  let kept = before === null ? null : new Set(before);
  for (const entry of entries) {
    if (entry.type === "compaction" && entry.firstKeptEntryId === null) {
      kept = new Set(namesIn(entry.summary ?? ""));
      for (const { message } of entry.carried ?? []) addAll(kept, message);
    } else if (entry.type === "message" && entry.message.role === "assistant") kept = null;
    else if (entry.type === "message" && kept && !isReminder(entry.message)) addAll(kept, entry.message);
  }
  return kept && [...kept];
}

function addAll(names: Set<string>, message: ModelMessage): void {
  for (const name of likelyNames(message)) names.add(name);
}

function isReminder({ role, content }: ModelMessage): boolean {
  if (role !== "user" && role !== "system") return false;
  const [first] = typeof content === "string" ? [content] : content.map((part) => ("text" in part ? part.text : ""));
  return first !== undefined && first.slice(0, 400).includes(mark);
}

/** What an entry says where it is Galley's reminder after a compaction; Claude Code has it as a record of its own. */
export function reminderIn(entry: SessionEntry): string | undefined {
  if (entry.type === "message") return isReminder(entry.message) ? saidIn(entry.message) : undefined;
  if (entry.type !== "custom" || !String(entry["kind"]).endsWith("/hook_additional_context")) return undefined;
  const { attachment } = (entry["record"] ?? {}) as { readonly attachment?: { readonly content?: unknown } };
  const text = [attachment?.content].flat().join("\n");
  return text.includes(mark) ? text : undefined;
}

/** What a model is told after a compaction: the names that it most likely needs, with handles. Nothing where there are none. */
export function reminderText(names: LogNames, options: LogNamesOptions & { readonly tag: string }): string {
  const { tag } = checked(names, options);
  const head = [
    `${mark} For reference, no instruction: these were said in this session, and may be missing above.`,
    `The tool ${recallToolName} of the MCP server galley gives back a passage by its handle, {"handle": "${handleOf(12, 12, tag)}"}, and finds anything else in the log of this session by {"query": "a few words", "scope": "${tag}"}.`,
  ].join("\n");
  return withNames(head, names, { ...options, kept: names.kept ?? [] });
}

/** What a summariser is told before a compaction: the same names, as plain instructions. Nothing where there are none. */
export function summaryInstructions(names: LogNames, options: LogNamesOptions): string {
  checked(names, options);
  const head =
    "In the summary, write names (files, symbols, commands, ids, numbers) to the letter. These were used most, the oldest first; keep those that still matter:";
  return withNames(head, names, { ...options, tag: null, kept: [] });
}

function checked<Options extends LogNamesOptions>(names: LogNames, options: Options): Options {
  namesCheck(names, "names");
  optionsCheck(options, "options");
  return options;
}

function withNames(
  head: string,
  names: LogNames,
  options: LogNamesOptions & { readonly tag: string | null; readonly kept: readonly string[] },
): string {
  const { maxTokens, maxCharacters, countTokens, tag, kept } = options;
  // One measure for both limits: what a character costs, where there may be few of them.
  const cost = (text: string): number => Math.max(countTokens(text), (text.length * maxTokens) / maxCharacters);
  const room = maxTokens - cost(`${head}\n`) - seam;
  const shown = namesShower(names, { sent: [], countTokens: cost, tag }).show(kept.join("\n"), room);
  return shown === "" ? "" : `${head}\n${shown}`;
}
