import { checkEntry, isPlainMessage } from "../fit/log/check-entry.ts";
import type { SessionEntry } from "../model/entries.ts";

/** The entries from the root to the last one [M6], also those that compactions left behind. */
export function activePath(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const path: SessionEntry[] = [];
  let wanted: string | undefined;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (!entry || (wanted !== undefined && entry.id !== wanted)) continue;
    if (!isPlainMessage(entry)) checkEntry(entry, entries);
    path.push(entry);
    if (entry.parentId === null) break;
    wanted = entry.parentId;
  }
  return path.reverse();
}
