import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { knownPrefix } from "../../model/grown-lists.ts";

/** The ids of a log: which entry has each one, and which entries repeat one that is taken. The first one counts [M5]. */
interface LogIds {
  readonly firstOf: ReadonlyMap<string, number>;
  /** Indexes of the entries that repeat an id. */
  readonly repeats: ReadonlySet<number>;
  /** By id, what compactions carry: a log may begin behind it. */
  readonly carried: ReadonlyMap<string, MessageEntry>;
}

/** What has been read of a log so far. */
interface Read extends LogIds {
  entries: readonly SessionEntry[];
  /** How many of them, from the first, and the last of these. */
  count: number;
  last: SessionEntry | undefined;
  readonly firstOf: Map<string, number>;
  readonly repeats: Set<number>;
  readonly carried: Map<string, MessageEntry>;
}

// A log only grows, so that each of its entries is read once, however many builds there are [F14]. A log that was copied
// to grow is known by an entry near its end. What is kept lives no longer than the log.
const byLog = new WeakMap<readonly SessionEntry[], Read>();
const byLast = new WeakMap<SessionEntry, Read>();
/** How many new entries a copy may have and still be known. */
const reach = 64;

export function idsOf(entries: readonly SessionEntry[]): LogIds {
  const read = readBefore(entries) ?? newRead(entries);
  if (read.entries === entries && read.count === entries.length) return read;
  for (let index = read.count; index < entries.length; index += 1) take(read, entries[index], index);
  if (read.last) byLast.delete(read.last);
  if (read.entries !== entries || read.count === 0) byLog.set(entries, read);
  read.entries = entries;
  read.count = entries.length;
  read.last = entries.at(-1);
  if (isObject(read.last)) byLast.set(read.last, read);
  return read;
}

function newRead(entries: readonly SessionEntry[]): Read {
  return { entries, count: 0, last: undefined, firstOf: new Map(), repeats: new Set(), carried: new Map() };
}

/** Entries have not been checked yet. */
function take({ firstOf, repeats, carried }: Read, entry: SessionEntry | undefined, index: number): void {
  if (!isObject(entry) || typeof entry.id !== "string") return;
  if (firstOf.has(entry.id)) {
    repeats.add(index);
    return;
  }
  firstOf.set(entry.id, index);
  if (entry.type !== "compaction" || !Array.isArray(entry.carried)) return;
  for (const each of entry.carried) if (isObject(each)) carried.set(each.id, each);
}

/** What is known of a log that this one begins with. */
function readBefore(entries: readonly SessionEntry[]): Read | undefined {
  const own = byLog.get(entries);
  if (own?.entries === entries && own.last === entries[own.count - 1]) return own;
  for (let at = entries.length - 1; at >= Math.max(0, entries.length - reach); at -= 1) {
    const entry = entries[at];
    const read = isObject(entry) ? byLast.get(entry) : undefined;
    if (read?.count === at + 1 && beginsWith(entries, read)) return read;
  }
  return undefined;
}

/** By identity: entries never change in place. */
function beginsWith(entries: readonly SessionEntry[], { entries: before, count }: Read): boolean {
  const known = Math.min(knownPrefix(before, entries), count);
  for (let index = known; index < count; index += 1) if (entries[index] !== before[index]) return false;
  return true;
}

function isObject<Entry extends SessionEntry>(entry: Entry | undefined): entry is Entry {
  return typeof entry === "object" && entry !== null;
}

/** Says of a log and what is about to be appended to it, by index, whether an entry repeats an id. */
export function repeatsOf(
  entries: readonly SessionEntry[],
  added: readonly SessionEntry[] = [],
): (index: number) => boolean {
  const { firstOf, repeats } = idsOf(entries);
  if (added.length === 0) return (index) => repeats.has(index);
  const own = new Set<string>();
  // Not checked yet.
  const repeated = added.map((entry) => {
    return isObject(entry) && (firstOf.has(entry.id) || own.size === own.add(entry.id).size);
  });
  return (index) => (index < entries.length ? repeats.has(index) : repeated[index - entries.length] === true);
}

/** The last entry that repeats none. */
export function lastOwnEntry(
  entries: readonly SessionEntry[],
  added: readonly SessionEntry[] = [],
): SessionEntry | undefined {
  const isRepeat = repeatsOf(entries, added);
  for (let index = entries.length + added.length - 1; index >= 0; index -= 1) {
    if (!isRepeat(index)) return index < entries.length ? entries[index] : added[index - entries.length];
  }
  return undefined;
}
