import type { CompactionEntry, PinEntry, SessionEntry } from "../../model/entries.ts";
import { GalleyError, type Problem } from "../../model/check/errors.ts";
import { type PinWords, pinTarget } from "./pins.ts";
import { repeatsOf } from "./repeats.ts";

/** Which part of a log to read. */
export interface ViewOptions {
  /** The last entry of the branch to read; by default the last entry of the log. */
  readonly leafId?: string | undefined;
  /** Entries that are about to be appended, read as if they were there. */
  readonly added?: readonly SessionEntry[] | undefined;
}

/** The branch of a log as it is read from its end. */
export interface Walk {
  /** Indexes of the entries from the root, or the first kept one, to the leaf; repeats among them, which do not count. */
  readonly path: readonly number[];
  readonly isRepeat: (index: number) => boolean;
  /** The last one, and where it is in the path. */
  readonly compaction: CompactionEntry | undefined;
  readonly compactionAt: number;
  readonly erased: ReadonlySet<string>;
  /** Whether something was redacted after the compaction was made. */
  readonly isErasedSince: boolean;
  readonly stopped: ReadonlySet<string>;
  readonly pins: PinWords;
  readonly problems: readonly Problem[];
  /** False when the compaction's first kept entry was not found: then all that comes before it is behind it. */
  readonly isWhole: boolean;
  /** Index of the first entry of the path, when it runs through the log without a gap. */
  readonly start: number | undefined;
}

/** The entry at an index of a log and what is about to be appended to it. */
export function entryOf(entries: readonly SessionEntry[], added: readonly SessionEntry[], index: number): SessionEntry {
  return (index < entries.length ? entries[index] : added[index - entries.length]) as SessionEntry;
}

/** Follows the branch from the leaf towards the root [M6], until what the last compaction kept has been read. */
export function walkBack(entries: readonly SessionEntry[], { leafId, added = [] }: ViewOptions): Walk {
  const isRepeat = repeatsOf(entries, added);
  const path: number[] = [];
  const erased = new Set<string>();
  const stopped = new Set<string>();
  const pins = new Map<string, { entry: PinEntry; isOnPath: boolean }>();
  let wanted: string | undefined = added.length > 0 ? undefined : leafId;
  let child: string | undefined;
  let compaction: CompactionEntry | undefined;
  let compactionAt = 0;
  let isWhole = true;
  let isErasedSince = false;
  for (let index = entries.length + added.length - 1; index >= 0; index -= 1) {
    const entry = entryOf(entries, added, index);
    if (typeof entry?.id !== "string") throw notAnEntry(index, typeof entry === "object" && entry !== null);
    // Also where its id is taken: what was redacted must not be sent.
    if (entry.type === "redact") {
      erased.add(entry.entryId);
      isErasedSince ||= !compaction;
    } else if (entry.type === "stopped") stopped.add(entry.entryId);
    const isOwn = !isRepeat(index);
    const isOther = wanted !== undefined && (entry.id !== wanted || !isOwn);
    // On whatever branch: what a person pinned does not go because a reply was regenerated.
    if (entry.type === "pin" && isOwn && !pins.has(pinTarget(entry)))
      pins.set(pinTarget(entry), { entry, isOnPath: !isOther });
    if (isOther) continue;
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
    isErasedSince,
    stopped,
    pins,
    problems,
    isWhole,
    start: isGapless ? start : undefined,
  };
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
