import { GalleyError, type Problem } from "@galley/engine";
import { type ChatLine, type RecalledLine, formatLine, parseChatLine } from "./chat-line.ts";
import { fileLines, linesFromStart } from "../../disk/read-lines.ts";
import { replaceFile } from "../../disk/replace-file.ts";

/** A line of a log, read as far as it can be. */
export interface LogLine {
  readonly number: number;
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly start: number;
  readonly isEnded: boolean;
  readonly line?: ChatLine;
  /** Why it cannot be read. */
  readonly error?: unknown;
}

/**
 * Every line of a log from a place in the file on, also those that cannot be read; blank ones are left out. A log that does not
 * exist has none. The number of a line is that behind this place.
 */
export function* logLines(file: string, from = 0): Generator<LogLine> {
  let number = 0;
  for (const { bytes, start, isEnded } of fileLines(file, from)) {
    number += 1;
    if (bytes.length > 0) yield { number, bytes, start, isEnded, ...read(bytes) };
  }
}

/** The lines of a log that were written to their end, with their bytes; the first that cannot be read is an error. */
export function* wholeLines(
  file: string,
  from = 0,
): Generator<Pick<LogLine, "bytes" | "start"> & { readonly line: ChatLine }> {
  for (const { number, bytes, start, isEnded, line, error } of logLines(file, from)) {
    // Half a line at the end is a write that is under way, or the rest of one; the next writer looks after it.
    if (!isEnded) continue;
    if (line === undefined) throw lineError(file, number, error);
    yield { line, bytes, start };
  }
}

function read(bytes: Buffer): Pick<LogLine, "line" | "error"> {
  try {
    return { line: parseChatLine(bytes.toString()) };
  } catch (error) {
    return { error };
  }
}

/** What becomes of a line: its own bytes keep it, a text takes its place, nothing leaves it out. */
export type Rewrite = (line: LogLine) => Buffer | string | undefined;

/**
 * Replaces a log by a changed one. The first line of a recalled context says how many messages were recalled; that number
 * shrinks when some of them go.
 */
export async function rewriteLog(
  file: string,
  rewrite: Rewrite,
  head: (line: RecalledLine) => RecalledLine = (line) => line,
): Promise<void> {
  let recalledLeft = 0;
  let lost = 0;
  for (const item of logLines(file)) {
    if (item.line?.type === "recalled") recalledLeft = item.line.messageCount;
    else if (recalledLeft > 0 && (item.error !== undefined || item.line?.type === "message")) {
      recalledLeft -= 1;
      if (rewrite(item) !== item.bytes) lost += 1;
    }
  }
  await replaceFile(
    file,
    rewritten(file, rewrite, (line) => head({ ...line, messageCount: line.messageCount - lost })),
  );
}

function* rewritten(
  file: string,
  rewrite: Rewrite,
  head: (line: RecalledLine) => RecalledLine,
): Generator<string | Uint8Array> {
  for (const item of logLines(file)) {
    const { line } = item;
    const result = line?.type === "recalled" ? formatLine(head(line)) : rewrite(item);
    if (result === undefined) continue;
    yield result;
    if (typeof result !== "string") yield "\n";
  }
}
/** A line that cannot be read, with its number: it is only counted when it is needed. */
export function damagedLine(file: string, handle: number, start: number, cause: unknown): GalleyError {
  let number = 1;
  if (start > 0) for (const _ of linesFromStart(handle, start)) number += 1;
  return lineError(file, number, cause);
}

/** What is wrong with a line whose number is known: it is damaged, or of a newer version. */
export function lineError(file: string, number: number, cause: unknown): GalleyError {
  if (cause instanceof GalleyError) {
    const { code, message, hint } = cause;
    return new GalleyError(code, `${file}, line ${number}: ${message}`, { path: file, hint, cause });
  }
  const { message, path, hint } = damageAt(file, number, cause);
  return new GalleyError("DataDamaged", message, { path, hint, cause });
}

export function damageAt(file: string, line: number, cause: unknown): Problem {
  const detail = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  return {
    severity: "error",
    code: "DataDamaged",
    message: `${file}, line ${line} cannot be read: ${detail.replace(/\.?$/, ".")}`,
    path: `${file}:${line}`,
    hint: "galley doctor --fix moves the line to quarantine and keeps all others.",
  };
}
