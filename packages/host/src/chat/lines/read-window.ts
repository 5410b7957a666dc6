import type { Tally } from "@galley/engine";
import * as z from "zod";
import { parseAs } from "../../api/parse-as.ts";
import {
  type ChatLine,
  type ChatMessage,
  type DecisionLine,
  type RecalledLine,
  type TranscriptLine,
  formatVersion,
  parseChatLine,
} from "./chat-line.ts";
import { damagedLine } from "./log-lines.ts";
import { withFile, withFileSteps } from "../../disk/data-files.ts";
import { runAtOnce } from "../../limits/in-slices.ts";
import { linesFromEnd, linesFromStart, readAt } from "../../disk/read-lines.ts";
import { type Kept, isKeptLine, isLineRedacted, shownItem, storedItem } from "./kept-lines.ts";
import type { Redactions } from "./redactions.ts";

const limitsSchema = z.object({
  maxMessages: z.int().min(1).default(200),
  maxCharacters: z.number().min(1).default(400_000),
  maxTokens: z.number().min(1).default(Infinity),
  maxBytes: z.number().min(1).optional(),
  endsAt: z.int().min(0).optional(),
});

/** How much is read from the end; the newest message is read in any case. */
export interface WindowLimits {
  /** 200 unless said otherwise. */
  readonly maxMessages?: number;
  /** 400,000 unless said otherwise. */
  readonly maxCharacters?: number;
  /** With `countTokens`. */
  readonly maxTokens?: number;
  readonly countTokens?: (text: string) => number;
  /**
   * Instead of the others: this number of bytes of the file, and up to half as many more. Where the window begins then moves in steps,
   * so that most of what is appended leaves it where it is.
   */
  readonly maxBytes?: number;
  /** Only what stands before this place of the file, in bytes: behind the end of a line. */
  readonly endsAt?: number;
}

/** The place in a file from which lines belong to a window of `maxBytes`; `end` is behind its last whole line. */
export function blockStart(end: number, maxBytes: number): number {
  const step = Math.ceil(maxBytes / 2);
  return Math.floor(Math.max(0, end - maxBytes) / step) * step;
}

/** The end of a file of messages [W9]. */
export interface Window {
  /** False when there is no such file yet, which is not the same as an empty one [W12]. */
  readonly exists: boolean;
  /** Oldest first. */
  readonly messages: readonly ChatMessage[];
  /** Whether the first message of the file is among them. */
  readonly isWhole: boolean;
  /** What builds decided, each before the message with this index. */
  readonly decisions: readonly { readonly at: number; readonly line: DecisionLine }[];
  /** Typed lines that stay with the messages around them; `at` is the number of messages before them. */
  readonly kept: readonly Kept[];
  /** Where the context was recalled from. */
  readonly recalled?: RecalledLine;
  /** What the transcript gave the context's first turn [W12]. */
  readonly given?: TranscriptLine;
  /** What lies before the first message, where that is read for a build and nothing that was decided since has counted it [T12]. */
  readonly unread?: Tally | undefined;
  /** Where the line of the first message begins in the file, and where it ends: an older window ends there. */
  readonly first?: { readonly start: number; readonly end: number };
}

/** All of a file, however long. */
export const everything: WindowLimits = {
  maxMessages: Number.MAX_SAFE_INTEGER,
  maxCharacters: Number.MAX_SAFE_INTEGER,
};

export const nothing: Window = { exists: false, messages: [], isWhole: true, decisions: [], kept: [] };
/** A first line that says where the context came from says so within these bytes. */
const headBytes = 8 * 1024;

export function readWindow(file: string, limits: WindowLimits, redactions: Redactions): Window {
  return withFile(file, (handle, size) => collect({ file, handle, size }, limits, redactions)) ?? nothing;
}

/** The same in steps, for those who let others have their turn in between. */
export function* windowSteps(file: string, limits: WindowLimits, redactions: Redactions): Generator<unknown, Window> {
  return (
    (yield* withFileSteps(file, (handle, size) => collecting({ file, handle, size }, limits, redactions))) ?? nothing
  );
}

interface OpenFile {
  readonly file: string;
  readonly handle: number;
  readonly size: number;
}

/** A window with what it takes to read on from there. */
export interface CollectedWindow extends Window {
  /** Behind the last whole line. */
  readonly end: number;
  /** Whether the newest message alone is more than was asked for. */
  readonly isForced: boolean;
}

export function collect(opened: OpenFile, given: WindowLimits, redactions: Redactions): CollectedWindow {
  return runAtOnce(collecting(opened, given, redactions));
}

function* collecting(
  { file, handle, size }: OpenFile,
  given: WindowLimits,
  redactions: Redactions,
): Generator<undefined, CollectedWindow> {
  const { maxBytes, endsAt = size, ...asked } = parseAs(limitsSchema, given, "limits", "ContextInvalidInput");
  const limits = maxBytes === undefined ? asked : unlimited;
  const messages: ChatMessage[] = [];
  const decisions: { fromEnd: number; line: DecisionLine }[] = [];
  const kept: { fromEnd: number; line: Kept["line"] }[] = [];
  let [characters, tokens] = [0, 0];
  let [isWhole, isForced] = [true, false];
  let [last, from]: [number | undefined, number] = [undefined, 0];
  let first: Window["first"];
  for (const { bytes, start, end, isEnded } of linesFromEnd(handle, Math.min(size, endsAt))) {
    // Half a line at the end is a write that is under way, or the rest of one; the next writer looks after it.
    if (!isEnded) continue;
    if (last === undefined && maxBytes !== undefined) from = blockStart(end, maxBytes);
    last ??= end;
    if (bytes.length === 0) continue;
    if (start < from && messages.length > 0) {
      isWhole = false;
      break;
    }
    yield;
    const line = parseAt(file, handle, start, bytes);
    // A summary from before a redaction may repeat what was redacted [M7].
    if (line.type === "decision" && line.ts > redactions.latest) decisions.push({ fromEnd: messages.length, line });
    const shown = shownItem(storedItem(line), redactions);
    if (shown && "type" in shown) kept.push({ fromEnd: messages.length, line: shown });
    if (!shown || "type" in shown) continue;
    const text = textOf(shown);
    characters += text.length;
    if (given.countTokens) tokens += given.countTokens(text);
    const isFull =
      characters > limits.maxCharacters || tokens > limits.maxTokens || messages.length >= limits.maxMessages;
    if (messages.length > 0 && isFull) {
      isWhole = false;
      break;
    }
    isForced ||= start < from;
    messages.push(shown);
    first = { start, end };
  }
  const head = readHead(file, handle, size);
  const isCounted = isWhole || decisions.some(({ line }) => line.entry.type === "compaction");
  const until = isCounted || maxBytes === undefined ? 0 : (first?.start ?? 0);
  const earlier = until === 0 ? nothingEarlier : readEarlier(file, handle, until, redactions);
  return {
    exists: true,
    messages: messages.reverse(),
    isWhole,
    decisions: placed(decisions, messages.length),
    kept: isWhole ? placed(kept, messages.length) : [...earlier.pins, ...ofReadMessages(placed(kept, messages.length))],
    recalled: head?.type === "recalled" ? withoutOldNote(head, redactions) : undefined,
    given: head?.type === "transcript" ? withoutRedactedWords(head, redactions) : undefined,
    unread: earlier.unread,
    first,
    end: last ?? 0,
    isForced,
  };
}

/** Lines that were found from the end, each before the message with its index. */
function placed<Line>(found: { readonly fromEnd: number; readonly line: Line }[], count: number) {
  return found.reverse().map(({ fromEnd, line }) => ({ at: count - fromEnd, line }));
}

/** A line belongs to the message before it, which may not be among those that were read; pins do not, and stand behind the first. */
function ofReadMessages(kept: readonly Kept[]): readonly Kept[] {
  return kept
    .filter(({ at, line }) => at > 0 || line.type === "pin")
    .map(({ at, line }) => ({ at: Math.max(1, at), line }));
}

const unlimited = { maxMessages: Infinity, maxCharacters: Infinity, maxTokens: Infinity };

const headLength = 96;
const pinStart = `{"v":${formatVersion},"type":"pin"`;

interface Earlier {
  readonly unread: Tally | undefined;
  /** Behind the first message that is read: a build looks no further back. */
  readonly pins: readonly Kept[];
}

const nothingEarlier: Earlier = { unread: undefined, pins: [] };

/**
 * How many messages a file holds before a place, and what is pinned there [R6]. Messages are not parsed: what a line is, stands
 * at its beginning.
 */
function readEarlier(file: string, handle: number, until: number, redactions: Redactions): Earlier {
  let count = 0;
  let size = 0;
  const pins: Kept[] = [];
  for (const { bytes, start } of linesFromStart(handle, until)) {
    const head = bytes.toString("latin1", 0, headLength);
    if (head.startsWith(pinStart)) {
      const line = parseAt(file, handle, start, bytes);
      if (isKeptLine(line) && !isLineRedacted(line, redactions)) pins.push({ at: 1, line });
      continue;
    }
    const isPlace = head.includes('"type":"redacted"') && !head.includes('"count":');
    if (!isPlace && (!head.includes('"role":"') || head.includes('"type":"'))) continue;
    count += 1;
    size += bytes.length;
  }
  return { unread: { count, tokens: Math.ceil(size / bytesPerToken) }, pins };
}

/** Of what is counted without being read. */
const bytesPerToken = 4;

/** The first line, where it says where the context came from. */
function readHead(file: string, handle: number, size: number): RecalledLine | TranscriptLine | undefined {
  const start = readAt(handle, 0, Math.min(size, headBytes));
  const end = start.indexOf(10);
  const text = start.toString("latin1", 0, end < 0 ? start.length : end);
  // Quotes within a message are escaped: no message looks like this.
  if (!/"type":"(?:recalled|transcript)"/u.test(text)) return undefined;
  const first = linesFromStart(handle, size).next().value;
  if (!first?.isEnded) return undefined;
  const line = parseAt(file, handle, 0, first.bytes);
  return line.type === "recalled" || line.type === "transcript" ? line : undefined;
}

/** The line as it may be shown: a note from before a redaction may repeat what was redacted [M7]. */
export function withoutOldNote(line: RecalledLine, { latest }: Pick<Redactions, "latest">): RecalledLine {
  if (line.note === undefined || line.ts > latest) return line;
  const { note: _, ...rest } = line;
  return rest;
}

/** The line as it may be shown [M7]. */
export function withoutRedactedWords(line: TranscriptLine, { ids }: Pick<Redactions, "ids">): TranscriptLine {
  const said = line.said.filter(({ id }) => !ids.has(id));
  return said.length === line.said.length ? line : { ...line, said };
}

export function parseAt(file: string, handle: number, start: number, bytes: Buffer): ChatLine {
  try {
    return parseChatLine(bytes.toString());
  } catch (cause) {
    throw damagedLine(file, handle, start, cause);
  }
}

export function textOf({ content }: Pick<ChatMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
