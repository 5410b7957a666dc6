import type { FilePart, MessagePart, ModelMessage, ToolCallPart } from "../../model/messages.ts";
import { failuresIn, withoutFalseFailure } from "./failures.ts";
import { pairOf, tellingLine, withoutPlaces } from "./pairs.ts";
import type { Replies } from "./replies.ts";
import { type ExtractiveLine, type SaidBy, isFinding, isOpen, maxToolScore, scoreSentence } from "./score.ts";
import { type Sentence, cleanLine, clipMiddle, sentencesOf, shortLine } from "./sentences.ts";
import { hasManyWords, isIntention } from "./small-talk.ts";
import { traitsOf } from "./traits.ts";
import { type ToolText, describeInput, toolText } from "./values.ts";

const maxTextShare = 20;
/** A user's message of no more characters is one line. */
const maxWhole = 160;
/** So are a sentence and those that it takes along, up to this many characters. */
const maxTold = 200;
const maxResultShare = 3;
/** Of a result with more lines in which something failed, the first tell enough. */
const maxFailures = 3;

/** Most of what went wrong went wrong often: as many lines at least are looked at, for how few there may be room. */
const minFailures = 24;

/** What a part says: its lines, a call with the result that a later message may give, or a result with its call. */
interface Slot {
  lines: readonly ExtractiveLine[];
  /** What failed in a result. */
  failures?: readonly ExtractiveLine[];
  /** The one of them that is told with what was said to it. */
  told?: ExtractiveLine;
  call?: CallLine;
  result?: ToolText;
  /** The call of a result, and the tool's name in front of its lines. */
  of?: CallLine | undefined;
  tool?: string;
}

/** What a call did, on one line, which is written when it is first asked for: few calls find room. */
class CallLine implements ExtractiveLine {
  readonly section = "actions";
  readonly #call: ToolCallPart;
  #text: string | undefined;
  result: ToolText | undefined;

  constructor(call: ToolCallPart) {
    this.#call = call;
  }

  get score(): number {
    return this.result?.isError ? 4 : 2;
  }

  get text(): string {
    return (this.#text ??= callText(this.#call, this.result));
  }
}

/** What messages say, read as far as it is asked for. */
export class MessageLines {
  readonly #slots: readonly Slot[];

  constructor(slots: readonly Slot[]) {
    this.#slots = slots;
  }

  /**
   * What people and models said, and of tools the newest: as many calls as these, all that failed, and about as many lines of
   * what went wrong in their results. Oldest first.
   */
  *withoutFacts(max: number): Generator<undefined, ExtractiveLine[]> {
    let [calls, failures] = [0, 0];
    for (const slot of this.#slots.toReversed()) {
      if (slot.tool !== undefined && failures < Math.max(max, minFailures)) {
        yield;
        slot.lines = failuresOf(slot).filter((line) => line !== slot.told);
        failures += slot.lines.length;
      }
      if (!slot.call || (!slot.call.result?.isError && calls >= max)) continue;
      calls += 1;
      slot.lines = [slot.call];
    }
    return this.#slots.flatMap(({ lines }) => lines);
  }

  /** The same with all that results say. */
  *all(): Generator<undefined, ExtractiveLine[]> {
    for (const slot of this.#slots) {
      if (slot.call) slot.lines = [slot.call];
      if (slot.tool === undefined) continue;
      yield;
      slot.lines = linesOfResult(slot, true);
    }
    return this.#slots.flatMap(({ lines }) => lines);
  }
}

/** Reads what people and models said; what tools gave is read when it is asked for. */
export function* readMessages(messages: readonly ModelMessage[], replies: Replies): Generator<undefined, MessageLines> {
  const slots: Slot[] = [];
  // Ids are reused, but within a turn the nearest call with the id is meant [M4].
  const openCalls = new Map<string, CallLine>();
  // What was given last: a model, or a person, says next what was behind it if it failed.
  let given: Slot | undefined;
  for (const [index, message] of messages.entries()) {
    yield;
    if (message.role === "user") openCalls.clear();
    const said = {
      speaker: message.role,
      reply: () => replies.to(index),
      prefix: prefixes[message.role],
    } as const;
    if (typeof message.content === "string") slots.push({ lines: linesOfText(message.content, said, given) });
    else for (const part of message.content) slots.push(slotOf(part, said, openCalls, given));
    if (message.role === "tool") given = slots.at(-1);
    else if (message.role === "user" || hasCall(message)) given = undefined;
  }
  return new MessageLines(slots);
}

function hasCall({ content }: ModelMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool-call");
}

function slotOf(part: MessagePart, said: SaidBy, openCalls: Map<string, CallLine>, given?: Slot): Slot {
  switch (part.type) {
    case "text":
      return { lines: linesOfText(part.text, said, given) };
    case "file":
      return { lines: linesOfFile(part, said.prefix) };
    case "tool-call": {
      const call = new CallLine(part);
      openCalls.set(part.toolCallId, call);
      return { lines: [], call };
    }
    case "tool-result": {
      const open = openCalls.get(part.toolCallId);
      openCalls.delete(part.toolCallId);
      const result = toolText(part.output);
      if (open) open.result = result;
      return { lines: [], result, of: open, tool: part.toolName };
    }
    case "image":
    case "reasoning":
    case "reasoning-file":
    case "custom":
    case "tool-approval-request":
    case "tool-approval-response":
      return { lines: [] };
  }
}

const prefixes: Record<ModelMessage["role"], string> = {
  system: "",
  user: "user: ",
  assistant: "assistant: ",
  tool: "",
};

function linesOfText(text: string, said: SaidBy, after?: Slot): readonly ExtractiveLine[] {
  const whole = said.speaker === "user" && text.length <= maxWhole ? wholeSentence(text) : undefined;
  const sentences = whole ? [whole] : withTold(sentencesOf(clipMiddle(text, 6000, 2000)));
  // A model may only say what comes next; a person goes on to something else, unless they say that they found it.
  const isAbout =
    after !== undefined &&
    (said.speaker === "assistant" ? !isIntention(sentences[0]?.text ?? "") : sentences.some(isFinding));
  const failed = isAbout ? tellingLine(failuresOf(after)) : undefined;
  const told = failed && pairOf(failed, sentences, said.prefix);
  if (!after || !told) return bestLines(sentences, said, maxTextShare);
  after.told = failed;
  return [told.pair, ...bestLines(sentences.slice(told.count), said, maxTextShare)];
}

/** How many sentences behind one belong to it: it would say little alone. */
function takesAlong(sentence: Sentence): number {
  if (sentence.isCode) return 0;
  if (":：".includes(sentence.text.slice(-1))) return Infinity;
  // What is open needs the sentence that says between what, and "my mistake" the one that says which.
  return isOpen(sentence) || (isFinding(sentence) && !hasManyWords(sentence.text)) ? 1 : 0;
}

/** Sentences with those that they take along, up to the length of a line. */
function withTold(sentences: readonly Sentence[]): readonly Sentence[] {
  const merged: Sentence[] = [];
  for (let index = 0; index < sentences.length; index += 1) {
    const sentence = sentences[index] as Sentence;
    let { text } = sentence;
    for (let left = takesAlong(sentence); left > 0; left -= 1) {
      const next = sentences[index + 1];
      if (!next || next.isCode || text.length + next.text.length >= maxTold) break;
      text += ` ${next.text}`;
      index += 1;
    }
    merged.push(text === sentence.text ? sentence : { text, isCode: false, traits: traitsOf(text) });
  }
  return merged;
}

/** What a person says in a few words is one thing. */
function wholeSentence(text: string): Sentence | undefined {
  if (text.includes("```") || text.includes("~~~")) return undefined;
  const line = cleanLine(text);
  return { text: line, isCode: false, traits: traitsOf(line) };
}

function failuresOf(slot: Slot): readonly ExtractiveLine[] {
  return (slot.failures ??= linesOfResult(slot, false));
}

/** What a result says. */
function linesOfResult({ tool = "", result, of }: Slot, hasFacts: boolean): readonly ExtractiveLine[] {
  const text = result?.text ?? "";
  const sentences = hasFacts ? sentencesOf(text).map(withoutFalseFailure) : failuresIn(text, maxFailures);
  const prefix = `${shortLine(tool, 60)}: `;
  const said: SaidBy = { speaker: "tool", reply: () => "answered", prefix };
  const lines = bestLines(sentences, of ? { ...said, of: { call: of, from: prefix.length } } : said, maxResultShare);
  if (hasFacts) return lines;
  return withoutPlaces(lines.filter(({ section }) => section === "errors"));
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

/** In no language: `read_file(path: a.ts) → export const a = 1 … (5120 characters)`. */
function callText({ toolName, input }: ToolCallPart, result: ToolText | undefined): string {
  const call = `${shortLine(toolName, 60)}(${describeInput(input)})`;
  if (!result) return call;
  const { isError, length } = result;
  const sentences = sentencesOf(result.text, 2);
  const first = sentences[0]?.text ?? "";
  const shown = shortLine(first, 100);
  const isWhole = sentences.length <= 1 && shown === first;
  const size = isWhole ? "" : length === undefined ? " …" : ` … (${length} characters)`;
  const outcome = `${isError ? "error: " : ""}${shown}${size}`;
  return outcome === "" ? call : `${call} → ${outcome}`;
}
