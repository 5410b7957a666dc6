import type { FilePart, MessagePart, ModelMessage, ToolCallPart, ToolResultPart } from "../../model/messages.ts";
import type { Replies } from "./replies.ts";
import { type ExtractiveLine, type SaidBy, maxToolScore, scoreSentence } from "./score.ts";
import { type Sentence, clipMiddle, failuresIn, sentencesOf, shortLine } from "./sentences.ts";
import { type ToolText, describeInput, toolText } from "./values.ts";

const maxTextShare = 20;
const maxResultShare = 3;
/** Of a result with more lines in which something failed, the first tell enough. */
const maxFailures = 8;

/** What a part says, or a call with the result that a later message may give. */
interface Slot {
  lines: readonly ExtractiveLine[];
  call?: ToolCallPart;
  result?: ToolText;
}

interface LinesAsked {
  /** What results say besides what failed. */
  readonly hasFacts: boolean;
  /** More lines of calls than these are not asked for: the newest, and all that failed. */
  readonly maxCalls: number;
}

/** What is worth keeping of the messages, oldest first, each line scored. */
export function* linesOfMessages(
  messages: readonly ModelMessage[],
  replies: Replies,
  { hasFacts, maxCalls }: LinesAsked,
): Generator<undefined, ExtractiveLine[]> {
  const slots: Slot[] = [];
  // Ids are reused, but within a turn the nearest call with the id is meant [M4].
  const openCalls = new Map<string, Slot>();
  for (const [index, message] of messages.entries()) {
    yield;
    if (message.role === "user") openCalls.clear();
    const said = {
      speaker: message.role,
      isUnanswered: replies.isOpen(index),
      prefix: prefixes[message.role],
    } as const;
    const parts: readonly MessagePart[] =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    for (const part of parts) {
      const slot: Slot = { lines: [] };
      slots.push(slot);
      switch (part.type) {
        case "text":
          slot.lines = linesOfText(part.text, said);
          break;
        case "file":
          slot.lines = linesOfFile(part, said.prefix);
          break;
        case "tool-call":
          slot.call = part;
          openCalls.set(part.toolCallId, slot);
          break;
        case "tool-result": {
          const open = openCalls.get(part.toolCallId);
          const said = toolText(part.output);
          if (open) open.result = said;
          openCalls.delete(part.toolCallId);
          slot.lines = linesOfResult(part, said.text, () => (open ? lineOfCall(open) : ""), hasFacts);
          break;
        }
        case "image":
        case "reasoning":
        case "reasoning-file":
        case "custom":
        case "tool-approval-request":
        case "tool-approval-response":
          break;
      }
    }
  }
  let calls = 0;
  for (const slot of slots.toReversed()) {
    if (!slot.call || (!slot.result?.isError && calls >= maxCalls)) continue;
    calls += 1;
    lineOfCall(slot);
  }
  return slots.flatMap(({ lines }) => lines);
}

/** The line of a call, made when it is first asked for. */
function lineOfCall(slot: Slot): string {
  if (slot.lines.length === 0 && slot.call) slot.lines = [callLine(slot.call, slot.result)];
  return slot.lines[0]?.text ?? "";
}

const prefixes: Record<ModelMessage["role"], string> = {
  system: "",
  user: "user: ",
  assistant: "assistant: ",
  tool: "",
};

function linesOfText(text: string, said: SaidBy): ExtractiveLine[] {
  return bestLines(sentencesOf(clipMiddle(text, 6000, 2000)), said, maxTextShare);
}

/** What a result says beyond what the line of its call has told. */
function linesOfResult(
  { toolName }: ToolResultPart,
  text: string,
  told: () => string,
  hasFacts: boolean,
): ExtractiveLine[] {
  const sentences = hasFacts ? sentencesOf(text) : failuresIn(text, maxFailures);
  const prefix = `${shortLine(toolName, 60)}: `;
  const lines = bestLines(sentences, { speaker: "tool", isUnanswered: false, prefix }, maxResultShare);
  return lines.filter(
    (line) => (hasFacts || line.section === "errors") && !told().includes(line.text.slice(prefix.length)),
  );
}

/** The lines with the highest scores, the first of equals, in the order of the text. */
function bestLines(sentences: Iterable<Sentence>, said: SaidBy, max: number): ExtractiveLine[] {
  const lines: ExtractiveLine[] = [];
  // What a line must pass to be one of them.
  let bar = 0;
  let isFirst = true;
  for (const sentence of sentences) {
    if (said.speaker === "tool" && bar >= maxToolScore) break;
    const line = scoreSentence(sentence, said, isFirst, bar);
    isFirst = false;
    if (!line) continue;
    lines.push(line);
    if (lines.length >= max) bar = lines.map(({ score }) => score).sort((a, b) => b - a)[max - 1] ?? 0;
  }
  if (lines.length <= max) return lines;
  const best = new Set([...lines].sort((a, b) => b.score - a.score).slice(0, max));
  return lines.filter((line) => best.has(line));
}

function linesOfFile({ filename, mediaType }: FilePart, prefix: string): ExtractiveLine[] {
  if (filename === undefined) return [];
  return [{ section: "facts", text: `${prefix}${shortLine(`${filename} (${mediaType})`, 160)}`, score: 2 }];
}

/** What a call did, on one line in no language: `read_file(path: a.ts) → export const a = 1 … (5120 characters)`. */
function callLine({ toolName, input }: ToolCallPart, result?: ToolText): ExtractiveLine {
  const call = `${shortLine(toolName, 60)}(${describeInput(input)})`;
  if (!result) return { section: "actions", text: call, score: 2 };
  const { isError, length } = result;
  const sentences = sentencesOf(result.text, 2);
  const first = sentences[0]?.text ?? "";
  const shown = shortLine(first, 100);
  const isWhole = sentences.length <= 1 && shown === first;
  const size = isWhole ? "" : length === undefined ? " …" : ` … (${length} characters)`;
  const outcome = `${isError ? "error: " : ""}${shown}${size}`;
  return {
    section: "actions",
    text: outcome === "" ? call : `${call} → ${outcome}`,
    score: isError ? 4 : 2,
  };
}
