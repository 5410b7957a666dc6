import { jsonText, listCheck, objectCheck, textCheck } from "./check/input.ts";
import type { SessionEntry } from "./entries.ts";
import { entrySchemaFor } from "./entry-schema.ts";
import { GalleyError, type Problem } from "./check/errors.ts";
import { parseJson } from "./parse-json.ts";
import { isSameEntry } from "./session-log.ts";
import { problemsOf } from "./check/zod-problems.ts";

/** A session file as it was read, with what is wrong in it. */
export interface ParsedSession {
  readonly entries: readonly SessionEntry[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a session file: JSON lines, one entry each [M2]. A bad line is a problem with its line number; the rest is read.
 *
 * @example
 * const line = '{"id":"m1","ts":0,"type":"message","message":{"role":"user","content":"Hello"}}';
 * const { entries, problems } = parseSession(`${line}\nnot JSON\n`);
 * entries.length; // → 1
 * problems[0].path; // → "line 2"
 */
export function parseSession(text: string): ParsedSession {
  textCheck(text, "text");
  const entries: SessionEntry[] = [];
  const problems: Problem[] = [];
  const seen = new Map<string, { readonly line: number; readonly entry: SessionEntry }>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const path = `line ${index + 1}`;
    const read = readLine(line, path);
    // One by one: a list from outside may be longer than a call can have arguments.
    for (const problem of read.problems) problems.push(problem);
    if (!read.entry) continue;
    const before = seen.get(read.entry.id);
    if (before === undefined) {
      seen.set(read.entry.id, { line: index + 1, entry: read.entry });
      entries.push(read.entry);
    } else {
      problems.push(repeated(read.entry, before, path));
    }
  }
  return { entries, problems };
}

function repeated(entry: SessionEntry, before: { line: number; entry: SessionEntry }, path: string): Problem {
  const message = `${path}: the id ${JSON.stringify(entry.id)} duplicates line ${before.line}; the first is used.`;
  return isSameEntry(before.entry, entry)
    ? { severity: "warning", code: "DuplicateId", message, path, hint: "A repeated append leaves such a line." }
    : { severity: "error", code: "DuplicateId", message, path, hint: "It says something else: give it its own id." };
}

function readLine(line: string, path: string): { entry?: SessionEntry; problems: Problem[] } {
  try {
    const value = parseJson(line, { what: `session's ${path}`, path });
    const result = entrySchemaFor(value).safeParse(value);
    if (result.success) return { entry: value as SessionEntry, problems: [] };
    return { problems: problemsOf(result.error.issues, "SessionInvalid", path) };
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    const { code, message, hint } = error;
    return { problems: [{ severity: "error", code, message, path, hint }] };
  }
}

/** Writes entries as a session file, every field as it was read. */
export function formatSession(entries: readonly SessionEntry[]): string {
  listCheck(objectCheck)(entries, "entries");
  return entries.map((entry, index) => `${jsonText(entry, `entries[${index}]`)}\n`).join("");
}
