import type { SessionEntry } from "./entries.ts";
import { GalleyError } from "./errors.ts";

export interface AppendedSession {
  readonly entries: readonly SessionEntry[];
  /** Those that were not there yet. */
  readonly added: readonly SessionEntry[];
}

/**
 * Appends to a session without changing what is there [M3]. All entries are added or none. An entry whose id is there
 * already is skipped, so that a retry adds nothing. With `expectedTail` (`null`: an empty session), a session that has
 * moved on is a `SessionConflict`, unless everything is there already.
 */
export function appendEntries(
  session: readonly SessionEntry[],
  entries: readonly SessionEntry[],
  expectedTail?: string | null,
): AppendedSession {
  const ids = new Set(session.map((entry) => entry.id));
  const added = entries.filter((entry) => {
    if (ids.has(entry.id)) return false;
    ids.add(entry.id);
    return true;
  });
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
