import * as z from "zod";
import {
  type ChatLine,
  type ChatMessage,
  type DecisionLine,
  type RecalledLine,
  type TranscriptLine,
  parseChatLine,
} from "./chat-line.ts";
import { damagedLine } from "./log-lines.ts";
import { parseInput } from "./parse-input.ts";
import { withFile } from "../../disk/data-files.ts";
import { linesFromEnd, linesFromStart, readAt } from "../../disk/read-lines.ts";
import { type Redactions, isRedacted } from "./redactions.ts";

const limitsSchema = z.object({
  maxMessages: z.int().min(1).default(200),
  maxCharacters: z.number().min(1).default(400_000),
  maxTokens: z.number().min(1).default(Infinity),
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
  /** Where the context was recalled from. */
  readonly recalled?: RecalledLine;
  /** What the transcript gave the context's first turn [W12]. */
  readonly given?: TranscriptLine;
}

const nothing: Window = { exists: false, messages: [], isWhole: true, decisions: [] };
/** A first line that says where the context came from says so within these bytes. */
const headBytes = 8 * 1024;

export function readWindow(file: string, limits: WindowLimits, redactions: Omit<Redactions, "stamp">): Window {
  return withFile(file, (handle, size) => collect({ file, handle, size }, limits, redactions)) ?? nothing;
}

interface OpenFile {
  readonly file: string;
  readonly handle: number;
  readonly size: number;
}

function collect({ file, handle, size }: OpenFile, given: WindowLimits, redactions: Omit<Redactions, "stamp">): Window {
  const limits = parseInput(limitsSchema, given, "limits");
  const messages: ChatMessage[] = [];
  const decisions: { fromEnd: number; line: DecisionLine }[] = [];
  let characters = 0;
  let tokens = 0;
  let isWhole = true;
  for (const { bytes, start, isEnded } of linesFromEnd(handle, size)) {
    // Half a line at the end is a write that is under way, or the rest of one; the next writer looks after it.
    if (!isEnded || bytes.length === 0) continue;
    const line = parseAt(file, handle, start, bytes);
    // A summary from before a redaction may repeat what was redacted [M7].
    if (line.type === "decision" && line.ts > redactions.latest) decisions.push({ fromEnd: messages.length, line });
    if (line.type !== "message") continue;
    const { message } = line;
    if (isRedacted(message, redactions)) continue;
    const text = textOf(message);
    characters += text.length;
    if (given.countTokens) tokens += given.countTokens(text);
    const isFull =
      characters > limits.maxCharacters || tokens > limits.maxTokens || messages.length >= limits.maxMessages;
    if (messages.length > 0 && isFull) {
      isWhole = false;
      break;
    }
    messages.push(message);
  }
  const head = readHead(file, handle, size);
  return {
    exists: true,
    messages: messages.reverse(),
    isWhole,
    decisions: decisions.reverse().map(({ fromEnd, line }) => ({ at: messages.length - fromEnd, line })),
    recalled: head?.type === "recalled" ? head : undefined,
    given: head?.type === "transcript" ? withoutRedactedWords(head, redactions) : undefined,
  };
}

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

/** The line as it may be shown [M7]. */
export function withoutRedactedWords(line: TranscriptLine, { ids }: Pick<Redactions, "ids">): TranscriptLine {
  const said = line.said.filter(({ id }) => !ids.has(id));
  return said.length === line.said.length ? line : { ...line, said };
}

function parseAt(file: string, handle: number, start: number, bytes: Buffer): ChatLine {
  try {
    return parseChatLine(bytes.toString());
  } catch (cause) {
    throw damagedLine(file, handle, start, cause);
  }
}

/** What a message says in words. */
export function textOf({ content }: Pick<ChatMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
