import { isAscii } from "node:buffer";
import type { SessionEntry } from "@galley/engine";
import { readLog } from "@galley/engine/logs";
import type { ForeignFile } from "../disk/foreign/foreign-files.ts";

/** The agents whose logs are read while they work, and that can be told something after a compaction [L7]. */
export const attachableAgents = ["claude-code", "codex"] as const;
export type AttachableAgent = (typeof attachableAgents)[number];

export interface PieceRange {
  /** In bytes, the start of a line. */
  readonly from: number;
  /** Where the piece ends; the last line end of the file if absent. */
  readonly to?: number | undefined;
  /** On the clock of `performance.now`: no more is read afterwards. */
  readonly stopAt?: number | undefined;
  /** Leaves the middle of long results out, of which hardly a name is ever needed again. */
  readonly clipsResults?: boolean;
}

/** Read into the same room again and again: fresh memory costs more than what is read into it. */
const readBytes = 256 * 1024;
/** Read where the file had its end when it was opened: it may have grown since. */
const endBytes = 4096;
/** A line without an end that is longer than this is not waited for: no reader takes one. */
const maxLineBytes = 256 * 1024 * 1024;

/**
 * Reads the lines of a log from a place on, as a log of their own: what was read before need not be kept. Gives the entries of
 * the conversation itself, not those of its sub-agents, and the place behind the last whole line: a line that is still written
 * waits.
 */
export async function readPiece(
  file: ForeignFile,
  agent: AttachableAgent,
  { from, to = Infinity, stopAt = Infinity, clipsResults = false }: PieceRange,
  take: (entries: readonly SessionEntry[]) => void,
): Promise<number> {
  const log = readLog({ name: "log", as: agent, messagesOnly: true, clipsResults });
  const own = ({ entries }: ReturnType<typeof log.push>): SessionEntry[] =>
    entries.flatMap(({ session, entry }) => (session.includes("/") ? [] : [entry]));
  const decoder = new TextDecoder();
  let [at, end] = [from, from];
  let open: Uint8Array[] = [];
  const lengthAt = (place: number): number => Math.min(readBytes, to - place, Math.max(endBytes, file.size - place));
  const room = Buffer.allocUnsafe(Math.max(0, lengthAt(from)));
  while (performance.now() < stopAt) {
    const bytes = await file.readAt(at, lengthAt(at), room);
    if (bytes.length === 0) break;
    at += bytes.length;
    const behind = bytes.lastIndexOf(0x0a) + 1;
    if (behind === 0 && at - end < maxLineBytes) {
      open.push(Buffer.from(bytes));
      continue;
    }
    end = behind === 0 ? at : at - bytes.length + behind;
    const length = behind === 0 ? bytes.length : behind;
    // Of a line that began before, only this line is put together; the others are read where they lie.
    const first = open.length === 0 ? 0 : bytes.indexOf(0x0a) + 1 || length;
    const begun = first === 0 ? "" : decoder.decode(Buffer.concat([...open, bytes.subarray(0, first)]));
    open = length < bytes.length ? [Buffer.from(bytes.subarray(length))] : [];
    take(own(log.push(begun)));
    for (const part of linesIn(bytes.subarray(first, length))) take(own(log.push(decoder.decode(part))));
  }
  take(own(log.end()));
  return end;
}

/** Line by line, where some have more than ASCII: one such sign would make the text of all others twice as large. */
function* linesIn(bytes: Uint8Array): Generator<Uint8Array> {
  const isPlain = isAscii(bytes);
  for (let start = 0; start < bytes.length;) {
    const end = isPlain ? bytes.length : bytes.indexOf(0x0a, start) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}
