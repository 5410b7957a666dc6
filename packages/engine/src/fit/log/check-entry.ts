import type { SessionEntry } from "../../model/entries.ts";
import { entrySchemaFor } from "../../model/entry-schema.ts";
import { issuesOf, throwProblems } from "../../model/check/input.ts";
import { isPlainContent } from "../../model/check/plain-message.ts";
import { problemsOf } from "../../model/check/zod-problems.ts";

// Entries never change.
const trusted = new WeakSet<object>();

/** An entry that the engine has made itself need not be checked when it is read. */
export function trustEntry<Entry extends SessionEntry>(entry: Entry): Entry {
  trusted.add(entry);
  return entry;
}

/** Throws with the path of whatever is wrong with an entry. */
export function checkEntry(entry: unknown, entries: readonly SessionEntry[]): void {
  if (trusted.has(entry as object)) return;
  const issues = issuesOf(entrySchemaFor(entry), entry);
  if (issues.length === 0) return;
  const path = `sessionEntries[${entries.findIndex((candidate) => candidate === entry || isSameId(candidate, entry))}]`;
  throwProblems(problemsOf(issues, "ContextInvalidInput", path));
}

/** True for a message entry that is surely valid. False says nothing: then the schema decides. Cheap, for long logs. */
export function isPlainMessage(entry: SessionEntry): boolean {
  const { id, ts, parentId } = entry;
  if (typeof id !== "string" || id === "" || entry.type !== "message") return false;
  if (typeof ts !== "string" && typeof ts !== "number") return false;
  if (parentId !== undefined && parentId !== null && typeof parentId !== "string") return false;
  return isPlainContent(entry.message);
}

function isSameId(candidate: unknown, entry: unknown): boolean {
  return idOf(candidate) !== undefined && idOf(candidate) === idOf(entry);
}

function idOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
}
