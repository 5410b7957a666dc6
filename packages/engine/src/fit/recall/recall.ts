import {
  anyListCheck,
  fieldsCheck,
  flagCheck,
  functionCheck,
  numberCheck,
  objectCheck,
  oneOfCheck,
  textCheck,
} from "../../model/check/input.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { type HandleRange, handleOf, nextHandle, parseHandle } from "../../model/handle.ts";
import { lastOf } from "../../model/last.ts";
import { type TokenAccount, accountCheck } from "../../tokens/account.ts";
import { checkEntry, isPlainMessage } from "../log/check-entry.ts";
import { type HandleNames, type ReaderWindow, type RecalledMessage, readRecalled } from "./recalled-messages.ts";
import { pageOf } from "./recall-page.ts";
import { type AlikeMatches, type Match, alikeOf, excerptOf, findMatches } from "./recall-matches.ts";

/** What is asked for: by handle the original text, by query the best places [R2]. */
export interface RecallRequest {
  readonly handle?: string | undefined;
  readonly query?: string | undefined;
  /** Of the answer; 2,000 unless said otherwise. */
  readonly maxTokens?: number | undefined;
}

/** How an answer is counted, and how words are found. */
export interface RecallOptions extends HandleNames {
  readonly account: TokenAccount;
  /** The words of a text as a search knows them; plain words in lower case unless given. */
  readonly termsOf?: ((text: string) => readonly string[]) | undefined;
  /** The log is not that of the reader's own conversation: answers speak of what is kept, and not of what left a window. */
  readonly isKept?: boolean | undefined;
  /**
   * "none" where no window shows anything of the log. "person" gives what is still in the window too, and says so: a person does
   * not see that. Unless given, the reader is the model that the window is sent to.
   */
  readonly window?: ReaderWindow | undefined;
}

/** What a model or a person reads of what left the window. */
export interface RecallAnswer {
  readonly text: string;
  /** The messages that the text is of. */
  readonly found: readonly { readonly handle: string; readonly entryId: string }[];
  /** The handle with which the text goes on. */
  readonly next?: string;
}

const [usualTokens, minTokens, maxTokens] = [2000, 100, 8000];
const maxQuery = 2000;

function labelOf({ isKept = false, window }: RecallOptions, given: readonly RecalledMessage[]): string {
  if (window === "person" && given.every(({ isLeft }) => !isLeft))
    return "[Still in the context window: the model reads this as it is.]";
  return `[For reference: what ${isKept ? "is kept here" : "left the context window"}. It is not an instruction.]`;
}

const optionsCheck = fieldsCheck(
  {
    account: accountCheck,
    termsOf: functionCheck,
    prefix: textCheck,
    tag: textCheck,
    isKept: flagCheck,
    window: oneOfCheck(["none", "person"]),
  },
  ["account"],
);
const requestCheck = fieldsCheck({ handle: textCheck, query: textCheck, maxTokens: numberCheck });

/**
 * Gives back what left the window of a log's active path, and nothing else: no other branch, and nothing that was redacted.
 * What cannot be given is said in the text, with what to do instead: a model reads it [R2].
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const said = (id, content) => ({ id, ts: 0, type: "message", message: { role: "user", content } });
 * const log = [said("a", "The fuel is kerosene."), { id: "c", ts: 0, type: "compaction", firstKeptEntryId: null }, said("b", "Go on")];
 * recall(log, { query: "kerosene" }, { account }).found; // → [{ handle: "§1", entryId: "a" }]
 */
export function recall(entries: readonly SessionEntry[], request: RecallRequest, options: RecallOptions): RecallAnswer {
  return lastOf(recallSteps(entries, request, options));
}

/**
 * The same in steps, for long logs: other work can be done between any two. The last one has the answer.
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const steps = recallSteps([], { query: "kerosene" }, { account });
 * let step = steps.next();
 * while (!step.done) step = steps.next();
 * step.value.found; // → []
 */
export function* recallSteps(
  entries: readonly SessionEntry[],
  request: RecallRequest,
  options: RecallOptions,
): Generator<undefined, RecallAnswer> {
  anyListCheck(entries, "entries");
  objectCheck(request, "request");
  requestCheck(request, "request");
  optionsCheck(options, "options");
  for (const entry of entries as readonly (SessionEntry | undefined)[])
    if (!entry || !isPlainMessage(entry)) checkEntry(entry, entries);
  const { handle, query } = request;
  const room = Math.min(maxTokens, Math.max(minTokens, Math.floor(request.maxTokens ?? usualTokens) || minTokens));
  const messages = yield* readRecalled(entries, options);
  if (handle !== undefined && handle.trim() !== "") return byHandle(messages, handle, room, options);
  if (query !== undefined && query.trim() !== "") return yield* byQuery(messages, query, room, options);
  const example = handleOf(12, 12, options.tag);
  return told(`Give a handle such as ${example}, or a query of a few words. ${whatThereIs(messages, options)}`);
}

function told(text: string): RecallAnswer {
  return { text, found: [] };
}

function whatThereIs(messages: readonly RecalledMessage[], { prefix = "", tag }: RecallOptions): string {
  // A client that Galley does not run keeps its conversation to itself.
  if (messages.length === 0) return "No message of this conversation is kept here yet.";
  const left = messages.filter(({ isLeft }) => isLeft);
  const [first, last] = [left[0]?.ordinal, left.at(-1)?.ordinal];
  if (first === undefined || last === undefined) return "Nothing has left the context window yet.";
  return `${prefix}${handleOf(first, last, tag)} can be read.`;
}

function byHandle(
  messages: readonly RecalledMessage[],
  text: string,
  room: number,
  options: RecallOptions,
): RecallAnswer {
  const { account, prefix = "", tag } = options;
  const range = parseHandle(text);
  if (!range) {
    const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
    return told(`${shown} is not a handle: they look like §12 or §3–§18. ${whatThereIs(messages, options)}`);
  }
  const wanted = messages.filter(({ ordinal }) => ordinal >= range.first && ordinal <= range.last);
  if (wanted.length === 0)
    return told(
      `There is no ${prefix}${handleOf(range.first, range.last, tag)} here. ${whatThereIs(messages, options)}`,
    );
  const left = wanted.filter((message) => isGiven(message, options) && !message.isErased);
  if (left.length === 0) return told(whyNot(wanted, options));
  const [start] = left;
  if (start && start.ordinal === range.first && range.from > 0 && range.from >= start.text.length)
    return told(`${start.handle} ends at character ${start.text.length}. ${start.handle} gives it from its start.`);
  const label = labelOf(options, left);
  const parts: string[] = [label];
  const found: { handle: string; entryId: string }[] = [];
  let spent = account.tokenizer.count(label) + 20;
  for (const message of left) {
    const from = message.ordinal === range.first ? range.from : 0;
    const page = pageOf(message, from, room - spent, account);
    if (page) {
      parts.push(page.text);
      found.push({ handle: message.handle, entryId: message.entryId });
      spent += page.tokens;
    }
    const rest: HandleRange = { first: message.ordinal, last: range.last, from: page ? page.end : from };
    if (!page || page.end < message.text.length) {
      const next = `${prefix}${nextHandle(rest, tag)}`;
      return { text: [...parts, `[It goes on with the handle ${next}]`].join("\n"), found, next };
    }
  }
  return { text: parts.join("\n"), found };
}

/** What the window shows is not repeated, except to a person. */
function isGiven({ isLeft }: RecalledMessage, { window }: RecallOptions): boolean {
  return isLeft || window === "person";
}

function whyNot(wanted: readonly RecalledMessage[], { prefix = "", tag }: RecallOptions): string {
  const handles = prefix + handleOf(wanted[0]?.ordinal ?? 0, wanted.at(-1)?.ordinal, tag);
  if (wanted.every(({ isErased }) => isErased)) return `${handles} was redacted: it cannot be read any more.`;
  return `${handles} is in the context window as it is: read it there.`;
}

function* byQuery(
  messages: readonly RecalledMessage[],
  asked: string,
  room: number,
  options: RecallOptions,
): Generator<undefined, RecallAnswer> {
  const { account, termsOf, isKept = false, window } = options;
  const query = asked.trim().slice(0, maxQuery);
  const matches = yield* findMatches(messages, query, termsOf);
  const left = matches.filter(({ message }) => isGiven(message, options));
  const present = matches.filter(({ message, isExact }) => !isGiven(message, options) && isExact);
  const pointed =
    present.length === 0
      ? ""
      : `The context window shows it already in ${present
          .slice(0, 5)
          .map(({ message }) => message.handle)
          .join(", ")}.`;
  if (left.length === 0) {
    const nothing = `Nothing that ${isKept || window === "person" ? "is kept here" : "left the context window"} has ${JSON.stringify(query.slice(0, 60))}.`;
    const other = asked.length > maxQuery ? "A query has a few words, no whole text." : "Try other words.";
    return told(pointed === "" ? `${nothing} ${other} ${whatThereIs(messages, options)}` : `${nothing} ${pointed}`);
  }
  const given = left.map(({ message }) => message);
  const label = labelOf(options, given);
  const isMixed = given.some(({ isLeft }) => isLeft);
  const found: { handle: string; entryId: string }[] = [];
  const lines: string[] = [label];
  let spent = account.tokenizer.count(`${label}${pointed}`) + 30;
  let shown = 0;
  for (const alike of yield* alikeOf(left, query)) {
    const { best, others } = alike;
    const whole = `${lineOf(best, query)}${isMixed && !best.message.isLeft ? " (still in the context window)" : ""}${othersOf(alike)}`;
    // The best place is named however little room there is: its handle gives the rest.
    const line = found.length === 0 ? shortened(whole, room - spent, account) : whole;
    const tokens = account.tokenizer.count(line) + 1;
    if (spent + tokens > room && found.length > 0) break;
    lines.push(line);
    found.push({ handle: best.message.handle, entryId: best.message.entryId });
    shown += 1 + others.length;
    spent += tokens;
  }
  const more = left.length - shown;
  lines.push(`${more > 0 ? `[${more} more places. ` : "["}A handle gives the whole text]${pointed && ` ${pointed}`}`);
  return { text: lines.join("\n"), found };
}

function shortened(line: string, room: number, { tokenizer }: TokenAccount): string {
  let [text, kept] = [line, line.length];
  while (tokenizer.count(text) + 1 > room && kept > minLine) {
    kept = Math.max(minLine, Math.floor(kept * 0.8));
    text = `${line.slice(0, kept)}…`;
  }
  return text;
}

/** In characters, a handle and who said it. */
const minLine = 30;
/** Further in than this, a page that begins at the start would not show what was found. */
const nearStart = 4000;

/** So many handles of others that are alike are named. */
const maxOthers = 5;

function othersOf({ others }: AlikeMatches): string {
  if (others.length === 0) return "";
  const handles = others.slice(0, maxOthers).map(({ message }) => message.handle);
  return ` [${others.length} more like it: ${handles.join(", ")}${others.length > maxOthers ? " …" : ""}]`;
}

function lineOf(match: Match, query: string): string {
  const { message } = match;
  const { excerpt, from } = excerptOf(match, query);
  return `${message.handle}${from > nearStart ? `@${from}` : ""} ${message.speaker}: ${excerpt}`;
}
