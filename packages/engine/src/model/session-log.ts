import { canonicalJson } from "./canonical-json.ts";
import { fieldsCheck, functionCheck, listCheck, mapCheck, textCheck } from "./check/input.ts";
import type { SessionEntry } from "./entries.ts";
import { GalleyError } from "./check/errors.ts";

const entriesCheck = listCheck(fieldsCheck({ id: textCheck }, ["id"]));

/** A session with what was appended. */
export interface AppendedSession {
  readonly entries: readonly SessionEntry[];
  /** Those that were not there yet. */
  readonly added: readonly SessionEntry[];
}

/**
 * Appends to a session without changing what is there [M3]. All entries are added or none. An entry that already exists
 * is skipped, so that a retry adds nothing; one whose id another entry has is a `DuplicateId`. With `expectedTail`
 * (`null`: an empty session), a session that has moved on is a `SessionConflict`, unless it already has everything.
 */
export function appendEntries(
  session: readonly SessionEntry[],
  entries: readonly SessionEntry[],
  expectedTail?: string | null,
): AppendedSession {
  for (const [path, list] of Object.entries({ session, entries })) entriesCheck(list, path);
  if (expectedTail !== undefined && expectedTail !== null) textCheck(expectedTail, "expectedTail");
  const ids = new Set(entries.map((entry) => entry.id));
  const stored = new Map(session.filter((entry) => ids.has(entry.id)).map((entry) => [entry.id, entry]));
  const added = newEntries(entries, stored);
  if (added.length === 0) return { entries: session, added };
  const tail = session.at(-1)?.id ?? null;
  if (expectedTail !== undefined && expectedTail !== tail) {
    const found = tail === null ? "the session is empty" : `the last entry is ${JSON.stringify(tail)}`;
    throw new GalleyError("SessionConflict", `Expected the last entry ${JSON.stringify(expectedTail)}, but ${found}.`, {
      hint: "Read the session again, rebuild, and append to its present end.",
      retryable: true,
    });
  }
  return { entries: [...session, ...added], added };
}

/**
 * Those of the entries that are not stored yet, each once. An entry that would be swallowed because another one has its id
 * is a `DuplicateId` with its path [M3].
 */
export function newEntries<Entry extends SessionEntry>(
  entries: readonly Entry[],
  stored: ReadonlyMap<string, SessionEntry>,
  pathOf = (index: number): string => `entries[${index}].id`,
): Entry[] {
  entriesCheck(entries, "entries");
  mapCheck(stored, "stored");
  functionCheck(pathOf, "pathOf");
  const known = new Map<string, SessionEntry>(stored);
  return entries.filter((entry, index) => {
    const before = known.get(entry.id);
    known.set(entry.id, before ?? entry);
    if (before && !isSameEntry(before, entry)) throw duplicateId(entry.id, pathOf(index));
    return before === undefined;
  });
}

/** Whether they say the same. A retry has a time of its own, and may leave to the log what the entry follows. */
export function isSameEntry(a: SessionEntry, b: SessionEntry): boolean {
  const parentId = a.parentId === undefined || b.parentId === undefined ? { parentId: undefined } : {};
  return canonicalJson({ ...a, ts: 0, ...parentId }) === canonicalJson({ ...b, ts: 0, ...parentId });
}

function duplicateId(id: string, path: string): GalleyError {
  return new GalleyError("DuplicateId", `The id ${JSON.stringify(id)} belongs to an entry that says something else.`, {
    path,
    hint: "Give every entry an id of its own, or leave the ids of messages to the engine.",
  });
}

/** The entries from the root to the last one, along the branch in force [M6], also those that compactions left behind. */
export function activePath(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const path: SessionEntry[] = [];
  let wanted: string | undefined;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (!entry || (wanted !== undefined && entry.id !== wanted)) continue;
    path.push(entry);
    if (entry.parentId === null) break;
    wanted = entry.parentId;
  }
  return path.reverse();
}
