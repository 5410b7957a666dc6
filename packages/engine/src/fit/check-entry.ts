import type { SessionEntry } from "../model/entries.ts";
import { entrySchemaFor } from "../model/entry-schema.ts";
import { GalleyError, throwOnErrors } from "../model/errors.ts";
import { problemsOf } from "../model/zod-problems.ts";

/** Throws with the path of whatever is wrong with an entry. */
export function checkEntry(entry: unknown, entries: readonly SessionEntry[]): void {
  const result = entrySchemaFor(entry).safeParse(entry);
  if (result.success) return;
  const path = `sessionEntries[${entries.findIndex((candidate) => candidate === entry || isSameId(candidate, entry))}]`;
  throwOnErrors(problemsOf(result.error.issues, "ContextInvalidInput", path));
}

/** Throws unless it is a list; the entries themselves are checked where they are read. */
export function checkSession(entries: unknown): asserts entries is readonly SessionEntry[] {
  if (Array.isArray(entries)) return;
  throw new GalleyError("ContextInvalidInput", "sessionEntries is not a list of entries.", { path: "sessionEntries" });
}

/** True for a message entry that is surely valid. False says nothing: then the schema decides. Cheap, for long logs. */
export function isPlainMessage(entry: SessionEntry): boolean {
  const { id, ts, parentId } = entry;
  if (typeof id !== "string" || id === "" || entry.type !== "message") return false;
  if (typeof ts !== "string" && typeof ts !== "number") return false;
  if (parentId !== undefined && parentId !== null && typeof parentId !== "string") return false;
  return isPlainContent(entry.message);
}

/** The same for a message without an entry. */
export function isPlainContent(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("role" in message) || !("content" in message)) return false;
  const { role, content } = message;
  if (typeof content === "string") return role === "user" || role === "assistant" || role === "system";
  if (!Array.isArray(content) || (role !== "assistant" && role !== "tool" && role !== "user")) return false;
  return content.every((part) => isPlainPart(part, role));
}

function isPlainPart(part: unknown, role: string): boolean {
  if (typeof part !== "object" || part === null || !("type" in part) || "providerOptions" in part) return false;
  switch (part.type) {
    case "text":
      return role !== "tool" && "text" in part && typeof part.text === "string";
    case "reasoning":
      return role === "assistant" && "text" in part && typeof part.text === "string";
    case "tool-call":
      return role === "assistant" && hasCallIds(part) && "input" in part;
    case "tool-result":
      return role !== "user" && hasCallIds(part) && "output" in part && isPlainOutput(part.output);
    default:
      return false;
  }
}

function hasCallIds(part: object): boolean {
  return (
    "toolCallId" in part &&
    typeof part.toolCallId === "string" &&
    "toolName" in part &&
    typeof part.toolName === "string"
  );
}

function isPlainOutput(output: unknown): boolean {
  if (typeof output !== "object" || output === null || !("type" in output) || !("value" in output)) return false;
  return (output.type === "text" && typeof output.value === "string") || output.type === "json";
}

function isSameId(candidate: unknown, entry: unknown): boolean {
  return idOf(candidate) !== undefined && idOf(candidate) === idOf(entry);
}

function idOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
}
