import type { SessionEntry } from "../model/entries.ts";
import { entrySchemaFor } from "../model/entry-schema.ts";
import { GalleyError, throwOnErrors } from "../model/errors.ts";
import { problemsOf } from "../model/zod-problems.ts";

/** Entries never change, so that each is checked once. */
const checked = new WeakSet<object>();

/**
 * Checks entries that have not been seen before, from the end backwards until one that has been: what a caller appended.
 * A log that is read for the first time is checked as far as its last compaction reaches.
 */
export function checkSession(entries: readonly SessionEntry[]): void {
  if (!Array.isArray(entries)) {
    throw new GalleyError("ContextInvalidInput", "sessionEntries is not a list of entries.", {
      path: "sessionEntries",
    });
  }
  let lastKept: string | null | undefined;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry: unknown = entries[index];
    if (typeof entry === "object" && entry !== null && checked.has(entry)) break;
    const result = entrySchemaFor(entry).safeParse(entry);
    if (!result.success) {
      throwOnErrors(problemsOf(result.error.issues, "ContextInvalidInput", `sessionEntries[${index}]`));
    }
    const known = entry as SessionEntry;
    if (known.type === "compaction") lastKept ??= known.firstKeptEntryId;
    if (known.id === lastKept || (known.type === "compaction" && lastKept === null)) break;
  }
  for (const entry of entries.slice(-64)) checked.add(entry);
}
