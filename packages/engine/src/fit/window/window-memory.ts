import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { isMessageEntry } from "../../model/message-entry.ts";
import type { Placement } from "../../compose/place/place-items.ts";
import type { ResolvedPreset } from "../../compose/preset/resolve-preset.ts";
import type { LedgerRow, Shortened } from "../../model/ledger.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { type Trunk, knownPrefix } from "../../model/grown-lists.ts";
import { entrySchemaFor } from "../../model/entry-schema.ts";
import { openCalls } from "../../model/open-calls.ts";
import type { TokenAccount } from "../../tokens/account.ts";
import type { BuildRequest } from "./build-request.ts";
import { isPlainMessage } from "../log/check-entry.ts";
import { shapeOf } from "../log/measure.ts";
import { repeatsOf } from "../log/repeats.ts";
import type { Normalized } from "../log/normalize.ts";
import type { SessionView } from "../log/view.ts";

/** The part of a session that a build may send. */
export interface Window {
  readonly view: SessionView;
  readonly normalized: Normalized;
  /** What is known from the build before, when this one only adds to it. */
  readonly known: KnownWindow | undefined;
}

/** What the build before found out about a window, kept so that the next turn only has to look at what is new. */
export interface KnownWindow {
  readonly sent: readonly MessageEntry[];
  /** Their messages. */
  readonly messages: readonly ModelMessage[];
  readonly tokens: readonly number[];
  readonly fates: ReadonlyMap<number, Shortened>;
  readonly maskedBefore: number;
  /** Of all messages that are sent. */
  readonly total: number;
  readonly hasBinary: boolean;
  /** Ids of those that the build made up. */
  readonly made: ReadonlySet<string>;
  /** Ids of those that are pinned. */
  readonly pinned: ReadonlySet<string>;
  readonly frame: Frame | undefined;
  /** With a frame: what stands before the history, and the history. */
  readonly line: readonly ModelMessage[];
  /** The rows of the build before, by index in `sent`: good for as long as their position is right. */
  readonly rows: LedgerRow[];
}

/** All of a finished build but its history: the same in the next one, if that only adds messages. */
export interface Frame {
  readonly resolved: ResolvedPreset;
  readonly before: readonly ModelMessage[];
  readonly after: readonly ModelMessage[];
  /** In the ledger, the rows before those of the history and the rows behind them. */
  readonly rowsBefore: readonly LedgerRow[];
  readonly rowsAfter: readonly LedgerRow[];
  /** How many of those before never move, from the first. */
  readonly stillRows: number;
  /** How long the history was: what stands behind it moves when it grows. */
  readonly historyLength: number;
  /** The cost of everything but the history. */
  readonly tokens: number;
  readonly droppedMessagesCount: number;
  /** What the messages of all builds with this frame begin with, and their ledgers. */
  readonly messageTrunk: Trunk;
  readonly ledgerTrunk: Trunk;
}

/** The same while it grows, with what it takes to tell whether the session has done more than that. */
interface Memory extends KnownWindow {
  /** The entries that were read, and where they begin in the log. */
  readonly path: SessionEntry[];
  readonly start: number;
  /** The log that the last build was given. */
  log: readonly SessionEntry[];
  view: Window["view"];
  readonly normalized: Window["normalized"];
  /** Of what is normalized. */
  readonly history: MessageEntry[];
  /** Ids of what stands further back than the path. */
  readonly carried: ReadonlySet<string>;
  readonly open: ReturnType<typeof openCalls>;
  lastAssistant: number;
  readonly sent: MessageEntry[];
  readonly messages: ModelMessage[];
  readonly tokens: number[];
  /** How many of them, from the first, have their tokens in the account. */
  counted: number;
  total: number;
  hasBinary: boolean;
  frame: Frame | undefined;
  line: ModelMessage[];
}

// By the last entry of the window: it is near the end of the log when the next build comes. The memory lives no longer
// than the session's entries do, and holds nothing that could not be found out again: builds stay pure.
const memories = new WeakMap<TokenAccount, WeakMap<SessionEntry, Memory>>();
/** How many new entries a turn may bring and still be found. */
const reach = 64;

/**
 * The window of a session that has only grown since the build before: every entry of it is compared, and the new ones are
 * added. Nothing when anything else has happened; then the log is read again.
 */
export function recallWindow({ entries, added = [], account, leafId }: BuildRequest): Window | undefined {
  const known = leafId === undefined ? memories.get(account) : undefined;
  if (!known) return undefined;
  const oldest = Math.max(0, entries.length - reach);
  for (let at = entries.length - 1; at >= oldest; at -= 1) {
    const memory = known.get(entries[at] as SessionEntry);
    if (!memory) continue;
    // Taken out while it grows: a build that comes in between reads the log.
    known.delete(entries[at] as SessionEntry);
    if (isUnchanged(memory, entries, at) && grow(memory, entries, added, account)) return asWindow(memory);
    giveCounts(asWindow(memory), account);
    return undefined;
  }
  return undefined;
}

function isUnchanged({ path, start, log }: Memory, entries: readonly SessionEntry[], at: number): boolean {
  if (start + path.length - 1 !== at) return false;
  const { length } = path;
  for (let index = Math.max(0, knownPrefix(log, entries) - start); index < length; index += 1)
    if (entries[start + index] !== path[index]) return false;
  return true;
}

function grow(
  memory: Memory,
  entries: readonly SessionEntry[],
  added: readonly SessionEntry[],
  account: TokenAccount,
): boolean {
  const isRepeat = repeatsOf(entries, added);
  for (let index = memory.start + memory.path.length; index < entries.length + added.length; index += 1) {
    if (isRepeat(index)) return false;
    const entry = (index < entries.length ? entries[index] : added[index - entries.length]) as SessionEntry;
    if (!take(memory, entry, account)) return false;
    memory.path.push(entry);
  }
  memory.log = entries;
  if (memory.open.isEmpty) return true;
  for (const [, index] of memory.open.entries()) if (index < memory.lastAssistant) return false;
  return true;
}

/** False for whatever does more than follow: compactions, branches, and messages that need repair. */
function take(memory: Memory, entry: SessionEntry, account: TokenAccount): boolean {
  if (typeof entry !== "object" || entry === null || entry.parentId !== undefined) return false;
  if (entry.type === "custom") return true;
  if (entry.type === "activation") {
    if (!entrySchemaFor(entry).safeParse(entry).success) return false;
    memory.view = { ...memory.view, activation: entry };
    return true;
  }
  if (!isMessageEntry(entry)) return false;
  if (memory.carried.has(entry.id)) return false;
  const isPlain = isPlainMessage(entry);
  if (!isPlain && !entrySchemaFor(entry).safeParse(entry).success) return false;
  const { message } = entry;
  const shape = shapeOf(message);
  if (shape.isBlank || (message.role === "user" && !memory.open.isEmpty)) return false;
  // It may be one more of the head.
  if (message.role === "system" && memory.history.length === 0) return false;
  for (const key of shape.opens) memory.open.open(key, memory.history.length);
  for (const { key } of shape.answers) if (memory.open.answer(key) === undefined) return false;
  if (message.role === "assistant") memory.lastAssistant = memory.history.length;
  const tokens = account.countNew(message);
  memory.history.push(entry);
  memory.sent.push(entry);
  memory.messages.push(message);
  memory.line.push(message);
  memory.tokens.push(tokens);
  memory.total += tokens;
  // What is plain holds neither pictures nor files.
  if (!isPlain) memory.hasBinary ||= account.isEstimated(message);
  return true;
}

function asWindow(memory: Memory): Window {
  return { view: memory.view, normalized: memory.normalized, known: memory };
}

/** Tells the account what it would have to count again, now that the window has to be read again. */
export function giveCounts({ known }: Window, account: TokenAccount): void {
  if (!known) return;
  const memory = known as Memory;
  for (; memory.counted < memory.messages.length; memory.counted += 1) {
    account.remember(memory.messages[memory.counted] as ModelMessage, memory.tokens[memory.counted] as number);
  }
}

/** Of a build that is finished: what it read. */
interface Read {
  readonly request: BuildRequest;
  readonly window: Window;
  readonly history: { readonly maskedBefore: number };
}

/** Of a build that is finished: what it sent of that. */
type Sent = Pick<KnownWindow, "sent" | "tokens" | "fates">;

/** Keeps what a build found out, if the next one may build on it. */
export function rememberWindow(
  prepared: Read,
  applied: Sent,
  placement: Placement | undefined,
  frame: Frame | undefined,
): void {
  const { request, window } = prepared;
  const memory = window.known ? (window.known as Memory) : newMemory(prepared, applied);
  if (!memory) return;
  if (placement) keepRows(memory, placement);
  else memory.rows.length = 0;
  memory.frame = frame;
  memory.line = frame ? frame.before.concat(memory.messages) : [];
  keep(request, memory);
}

/** Puts a window back that came out of memory, and was good for the whole build. */
export function keepWindow(request: BuildRequest, { known }: Window): void {
  if (known) keep(request, known as Memory);
}

function keep({ account }: BuildRequest, memory: Memory): void {
  const last = memory.path.at(-1);
  if (!last) return;
  let known = memories.get(account);
  if (!known) {
    known = new WeakMap();
    memories.set(account, known);
  }
  known.set(last, memory);
}

/** When the first row is the one that is kept already, so are all the others that were used again: only new ones are added. */
function keepRows({ rows, sent }: Memory, { ledger, historyFrom }: Placement): void {
  if (rows[0] !== ledger[historyFrom] || rows.at(-1) !== ledger[historyFrom + rows.length - 1]) rows.length = 0;
  for (let index = rows.length; index < sent.length; index += 1) rows.push(ledger[historyFrom + index] as LedgerRow);
}

function newMemory({ request, window, history: { maskedBefore } }: Read, applied: Sent): Memory | undefined {
  const { view, normalized } = window;
  const isPlain = view.injections.length === 0 && view.problems.length === 0;
  if (view.start === undefined || !isPlain) return undefined;
  const { head, removed, made } = normalized;
  const history = [...normalized.history];
  const open = openCalls();
  let hasBinary = false;
  for (const [index, { message }] of normalized.history.entries()) {
    const shape = shapeOf(message);
    if (message.role === "user") open.clear();
    for (const key of shape.opens) open.open(key, index);
    for (const { key } of shape.answers) open.answer(key);
    hasBinary ||= request.account.isEstimated(message);
  }
  return {
    path: [...request.entries.slice(view.start), ...(request.added ?? [])],
    start: view.start,
    log: request.entries,
    view,
    normalized: { head, history, removed, made },
    history,
    made,
    pinned: view.pins.ids,
    carried: view.carried,
    open,
    lastAssistant: normalized.history.findLastIndex((entry) => entry.message.role === "assistant"),
    sent: [...applied.sent],
    messages: applied.sent.map((entry) => entry.message),
    tokens: [...applied.tokens],
    counted: applied.tokens.length,
    fates: applied.fates,
    maskedBefore,
    total: applied.tokens.reduce((sum, tokens) => sum + tokens, 0),
    hasBinary,
    frame: undefined,
    line: [],
    rows: [],
  };
}
