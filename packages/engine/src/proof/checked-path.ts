import { checkEntry, isPlainMessage } from "../fit/log/check-entry.ts";
import type { SessionEntry } from "../model/entries.ts";
import { activePath } from "../model/session-log.ts";

/** The entries of the branch in force, of which each is checked, the last one first. */
export function checkedPath(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const path = activePath(entries);
  for (const entry of path.toReversed()) if (!isPlainMessage(entry)) checkEntry(entry, entries);
  return path;
}
