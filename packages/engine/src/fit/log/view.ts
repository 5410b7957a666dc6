import { anyListCheck, explain, fieldsCheck, textCheck } from "../../model/check-input.ts";
import type { CompactionEntry, InjectionEntry, MessageEntry, SessionEntry, Tally } from "../../model/entries.ts";
import { GalleyError, type Problem } from "../../model/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { isSystemMessage } from "../../model/session-head.ts";
import { checkEntry } from "./check-entry.ts";
import { redactMessage } from "./redact-message.ts";
import { repeatsOf } from "./repeats.ts";

/** What a session says now: the one way in which its log is read [M5]. */
export interface SessionView {
  /** The compaction in force. */
  readonly compaction: CompactionEntry | undefined;
  /** The messages that are still there in full, oldest first: what the compaction carried and kept, then all after it. */
  readonly messages: readonly MessageEntry[];
  /** How many of them, from the first, are the system messages that the session begins with [F6]. */
  readonly head: number;
  /** Frozen injections whose neighbour is among the messages [C14]. */
  readonly injections: readonly FrozenInjection[];
  readonly runtimeInit: JsonObject | undefined;
  /** What lies behind the compaction. */
  readonly summarised: Tally;
  readonly dropped: Tally;
  /** Messages of which nothing is left [M7]. */
  readonly redacted: readonly Vanished[];
  /** Messages whose id is taken by an entry before them; the first one counts. */
  readonly duplicates: readonly Vanished[];
  readonly problems: readonly Problem[];
  /** Where in the log the reading began; nothing when it did not follow the log without a gap. */
  readonly start: number | undefined;
}

/** A message of the log that is not among the messages of the view. */
interface Vanished {
  readonly id: string;
  /** The index of the message before which it stood. */
  readonly at: number;
}

interface FrozenInjection {
  readonly entry: InjectionEntry;
  /** The index of the message that it stands before. */
  readonly at: number;
}

/** Which part of a log to read. */
export interface ViewOptions {
  /** The last entry of the branch to read; by default the last entry of the log. */
  readonly leafId?: string | undefined;
  /** Entries that are about to be appended, read as if they were there. */
  readonly added?: readonly SessionEntry[] | undefined;
}

const nothing: Tally = { count: 0, tokens: 0 };

/** Reads a session from its end, and no further than the compaction in force reaches [F14]. */
export function view(entries: readonly SessionEntry[], options: ViewOptions = {}): SessionView {
  try {
    return read(entries, options);
  } catch (error) {
    throw explain(error, () => {
      optionsCheck(options, "options");
      for (const list of [entries, options.added ?? []]) anyListCheck(list, "sessionEntries");
      for (const entry of [...entries, ...(options.added ?? [])]) checkEntry(entry, entries);
    });
  }
}

const optionsCheck = fieldsCheck({ leafId: textCheck, added: anyListCheck });

function read(entries: readonly SessionEntry[], options: ViewOptions): SessionView {
  const { path, isRepeat, erased, problems, isWhole, start, ...walk } = walkBack(entries, options);
  const compaction = redactCompaction(walk.compaction, erased);
  // Of a compaction whose first kept entry is lost, only what comes after it is there.
  const first = walk.compaction && !isWhole ? walk.compactionAt : 0;
  const draft = { messages: [] as MessageEntry[], redacted: [] as Vanished[], duplicates: [] as Vanished[] };
  // A compaction says what the head is: the log in front of what it keeps is not read [F14].
  let head = 0;
  let isHead = true;
  const add = (entry: MessageEntry): void => {
    isHead &&= isSystemMessage(entry);
    const rest = erased.has(entry.id) ? redactEntry(entry, entries) : entry;
    if (rest) draft.messages.push(rest);
    else draft.redacted.push({ id: entry.id, at: draft.messages.length });
    if (isHead) head = draft.messages.length;
  };
  for (const entry of compaction?.carried ?? []) add(entry);
  if (compaction) isHead = false;
  // A log that begins behind them cannot tell.
  const carried = new Set(compaction?.carried?.map((entry) => entry.id));
  const frozen: { entry: InjectionEntry; at: number }[] = (compaction?.injections ?? []).map((entry) => ({
    entry,
    at: 0,
  }));
  const carriedInjections = new Set(frozen.map(({ entry }) => entry.id));
  let runtimeInit = compaction?.runtimeInit;
  for (let index = first; index < path.length; index += 1) {
    const at = path[index] as number;
    const entry = entryOf(entries, options.added ?? [], at);
    if (entry.type === "message") {
      if (isRepeat(at) || carried.has(entry.id)) draft.duplicates.push({ id: entry.id, at: draft.messages.length });
      else add(entry);
    } else if (isRepeat(at) || erased.has(entry.id)) continue;
    else if (entry.type === "injection" && !carriedInjections.has(entry.id)) {
      frozen.push({ entry, at: draft.messages.length });
    } else if (entry.type === "runtime-init") runtimeInit = entry.data;
  }
  return {
    ...draft,
    head,
    compaction,
    injections: liveInjections(frozen, draft.messages, head),
    runtimeInit,
    summarised: compaction?.summarised ?? nothing,
    dropped: compaction?.dropped ?? (compaction ? countBehind(entries, path[first] ?? 0) : nothing),
    problems,
    start: isWhole ? start : undefined,
  };
}

/** What may still be sent of an entry. It is checked here, because nothing can be taken out of what is not a message. */
function redactEntry(entry: MessageEntry, entries: readonly SessionEntry[]): MessageEntry | undefined {
  checkEntry(entry, entries);
  const message = redactMessage(entry.message);
  return message && { ...entry, message };
}

/** A compaction without what was redacted of it: its summary, or an injection that it carries [M7]. */
function redactCompaction(
  compaction: CompactionEntry | undefined,
  erased: ReadonlySet<string>,
): CompactionEntry | undefined {
  if (!compaction || erased.size === 0) return compaction;
  const { summary, injections, ...rest } = compaction;
  return {
    ...rest,
    ...(summary === undefined || erased.has(compaction.id) ? {} : { summary }),
    ...(injections ? { injections: injections.filter((entry) => !erased.has(entry.id)) } : {}),
  };
}

interface Walk {
  /** Indexes of the entries from the root, or the first kept one, to the leaf; repeats among them, which do not count. */
  readonly path: readonly number[];
  readonly isRepeat: (index: number) => boolean;
  /** The last one, and where it is in the path. */
  readonly compaction: CompactionEntry | undefined;
  readonly compactionAt: number;
  readonly erased: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** False when the compaction's first kept entry was not found: then all that comes before it is behind it. */
  readonly isWhole: boolean;
  /** Index of the first entry of the path, when it runs through the log without a gap. */
  readonly start: number | undefined;
}

/** The entry at an index of a log and what is about to be appended to it. */
function entryOf(entries: readonly SessionEntry[], added: readonly SessionEntry[], index: number): SessionEntry {
  return (index < entries.length ? entries[index] : added[index - entries.length]) as SessionEntry;
}

/** Follows the branch from the leaf towards the root [M6], until what the last compaction kept has been read. */
function walkBack(entries: readonly SessionEntry[], { leafId, added = [] }: ViewOptions): Walk {
  const isRepeat = repeatsOf(entries, added);
  const path: number[] = [];
  const erased = new Set<string>();
  let wanted: string | undefined = added.length > 0 ? undefined : leafId;
  let child: string | undefined;
  let compaction: CompactionEntry | undefined;
  let compactionAt = 0;
  let isWhole = true;
  for (let index = entries.length + added.length - 1; index >= 0; index -= 1) {
    const entry = entryOf(entries, added, index);
    if (typeof entry?.id !== "string") throw notAnEntry(index, typeof entry === "object" && entry !== null);
    // Also where its id is taken: what was redacted must not be sent.
    if (entry.type === "redact") erased.add(entry.entryId);
    const isOwn = !isRepeat(index);
    if (wanted !== undefined && (entry.id !== wanted || !isOwn)) continue;
    path.push(index);
    // What is about to be appended follows the leaf.
    const leaf = index === entries.length ? leafId : undefined;
    wanted = isOwn ? (entry.parentId ?? leaf) : leaf;
    if (!isOwn) continue;
    child = entry.id;
    if (entry.type === "compaction" && !compaction) {
      [compaction, compactionAt] = [entry, path.length];
      isWhole = entry.firstKeptEntryId === null;
    } else if (entry.id === compaction?.firstKeptEntryId) isWhole = true;
    if (entry.parentId === null || (compaction && isWhole)) {
      wanted = undefined;
      break;
    }
  }
  const problems: Problem[] = [];
  if (wanted !== undefined) problems.push(missingEntry(wanted, child));
  else if (!isWhole) problems.push(missingEntry(compaction?.firstKeptEntryId ?? "", compaction?.id));
  const start = path.at(-1);
  const isGapless = start !== undefined && path.length === entries.length + added.length - start;
  return {
    path: path.reverse(),
    isRepeat,
    compaction,
    compactionAt: path.length - compactionAt,
    erased,
    problems,
    isWhole,
    start: isGapless ? start : undefined,
  };
}

/** An injection leaves together with the message that it stands before. The head is in front of all of them [C5]. */
function liveInjections(
  frozen: readonly { readonly entry: InjectionEntry; readonly at: number }[],
  messages: readonly MessageEntry[],
  head: number,
): FrozenInjection[] {
  return frozen
    .map(({ entry, at }) => {
      const neighbour = messages.findIndex((message) => message.id === entry.beforeEntryId);
      return { entry, at: entry.beforeEntryId === null ? at : neighbour };
    })
    .filter(({ at }) => at >= 0)
    .map(({ entry, at }) => ({ entry, at: Math.max(at, head) }))
    .sort((a, b) => a.at - b.at);
}

/** For logs whose compactions do not say how much lies behind them. */
function countBehind(entries: readonly SessionEntry[], first: number): Tally {
  return { count: entries.slice(0, first).filter((entry) => entry.type === "message").length, tokens: 0 };
}

function notAnEntry(index: number, isObject: boolean): GalleyError {
  const path = `sessionEntries[${index}]${isObject ? ".id" : ""}`;
  const message = `${path} is not ${isObject ? "a text" : "an entry"}.`;
  return new GalleyError("ContextInvalidInput", message, { path, hint: "Entries are objects {id, ts, type, …}." });
}

function missingEntry(id: string, from: string | undefined): Problem {
  const where = from === undefined ? "A leaf" : `Entry ${JSON.stringify(from)}`;
  return {
    severity: "warning",
    code: "UnknownReference",
    message: `${where} refers to ${JSON.stringify(id)}, which does not come before it.`,
    path: from ?? "leafId",
    hint: "What lies before it is not sent; check whether the file is whole.",
  };
}
