import { closeSync, fstatSync } from "node:fs";
import { type ChatLine, formatLine, parseChatLine } from "./chat-line.ts";
import { openForReading } from "../../disk/open-for-reading.ts";
import { linesFromStart } from "../../disk/read-lines.ts";
import { replaceFile } from "../../disk/replace-file.ts";

/** A line of a log, read as far as it can be. */
export interface LogLine {
  readonly number: number;
  readonly bytes: Buffer;
  readonly isEnded: boolean;
  readonly line?: ChatLine;
  /** Why it cannot be read. */
  readonly error?: unknown;
}

/** Every line of a log, also those that cannot be read; blank ones are left out. */
export function* logLines(file: string): Generator<LogLine> {
  const handle = openForReading(file);
  try {
    let number = 0;
    for (const { bytes, isEnded } of linesFromStart(handle, fstatSync(handle).size)) {
      number += 1;
      if (bytes.length > 0) yield { number, bytes, isEnded, ...read(bytes) };
    }
  } finally {
    closeSync(handle);
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
type Rewrite = (line: LogLine) => Buffer | string | undefined;

/**
 * Replaces a log by a changed one. The first line of a recalled context says how many messages were recalled; that number
 * shrinks when some of them go.
 */
export async function rewriteLog(file: string, rewrite: Rewrite): Promise<void> {
  let recalledLeft = 0;
  let lost = 0;
  for (const item of logLines(file)) {
    if (item.line?.type === "recalled") recalledLeft = item.line.messageCount;
    else if (recalledLeft > 0 && (item.error !== undefined || item.line?.type === "message")) {
      recalledLeft -= 1;
      if (rewrite(item) !== item.bytes) lost += 1;
    }
  }
  await replaceFile(file, rewritten(file, rewrite, lost));
}

function* rewritten(file: string, rewrite: Rewrite, lost: number): Generator<string | Uint8Array> {
  for (const item of logLines(file)) {
    const { line } = item;
    const result =
      line?.type === "recalled" ? formatLine({ ...line, messageCount: line.messageCount - lost }) : rewrite(item);
    if (result === undefined) continue;
    yield result;
    if (typeof result !== "string") yield "\n";
  }
}
