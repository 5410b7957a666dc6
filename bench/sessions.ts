import type { MessageEntry, ModelMessage, ToolSpec } from "@galley/engine";
import type { MessagePart } from "@galley/engine/messages";
import { readCorpus } from "./corpus.ts";
import type { SessionKind } from "./generated.ts";

export const corpus = readCorpus();

/** What every build of these benchmarks is told besides its session. */
export const systemPrompt = "You are a coding agent. Read before you write, keep changes small, and say what you did.";
export const toolSpecs: readonly ToolSpec[] = ["read", "edit", "bash"].map((name) => ({
  name,
  description: `Runs ${name} in the project's folder and gives back what it printed.`,
  inputSchema: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
}));

/** All messages of a kind, session after session. */
export function joinSessions({ sessions }: SessionKind): ModelMessage[] {
  return sessions.flat();
}

const toolMessages = corpus.kinds.filter(({ usesTools }) => usesTools).flatMap(joinSessions);

/** A session of a tool-using agent, with message objects that nothing has seen before. */
export function freshSession(count: number, prefix = "e"): MessageEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const message = toolMessages[index % toolMessages.length] as ModelMessage;
    return entryOf(`${prefix}${index}`, freshCopy(message));
  });
}

export function entryOf(id: string, message: ModelMessage): MessageEntry {
  return { id, ts: 0, type: "message", message };
}

function freshCopy(message: ModelMessage): ModelMessage {
  const { content } = message;
  return { ...message, content: typeof content === "string" ? content : content.map((part) => ({ ...part })) } as never;
}

export type Pair = readonly [ModelMessage, ModelMessage];

/** Calls with their result whose size is near the median of all such pairs. */
export const medianPairs: readonly Pair[] = (() => {
  const pairs: Pair[] = [];
  for (const [index, message] of toolMessages.entries()) {
    const next = toolMessages[index + 1];
    if (message.role === "assistant" && next?.role === "tool") pairs.push([message, next]);
  }
  pairs.sort((a, b) => sizeOf(a) - sizeOf(b));
  return pairs.slice(Math.floor(pairs.length * 0.4), Math.ceil(pairs.length * 0.6));
})();

function sizeOf(pair: Pair): number {
  return pair.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0);
}

let pairsMade = 0;

/** A pair whose texts none before has had, since counts are known by content: only the sizes stay. */
export function freshPair(round: number): Pair {
  const pair = medianPairs[(round + 10_000) % medianPairs.length] as Pair;
  const number = (pairsMade += 1);
  return [numberedCall(pair[0], number), numbered(pair[1], number)];
}

function numberedCall(message: ModelMessage, number: number): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return freshCopy(message);
  const content = message.content.map((part) => {
    if (part.type !== "tool-call" || typeof part.input !== "object") return { ...part };
    return { ...part, input: { ...part.input, number } };
  });
  return { ...message, content };
}

function numbered(message: ModelMessage, number: number): ModelMessage {
  if (message.role !== "tool") return freshCopy(message);
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "text") return { ...part };
    // By way of bytes, so that the text is one piece and the first reader does not have to join it.
    const value = Buffer.from(`${number} ${part.output.value}`).toString();
    return { ...part, output: { ...part.output, value } };
  });
  return { ...message, content };
}

/** Tokenises messages, and does nothing else: a call's arguments are JSON to a tokenizer. */
export function tokenise(messages: readonly ModelMessage[], tokenizer: Counter): number {
  let tokens = 0;
  for (const { content } of messages) {
    if (typeof content === "string") tokens += tokenizer.count(content);
    else for (const part of content) tokens += tokensOf(part, tokenizer);
  }
  return tokens;
}

export interface Counter {
  readonly count: (text: string) => number;
}

function tokensOf(part: MessagePart, tokenizer: Counter): number {
  if (part.type === "text" || part.type === "reasoning") return tokenizer.count(part.text);
  if (part.type === "tool-call") return tokenizer.count(part.toolName) + tokenizer.count(JSON.stringify(part.input));
  if (part.type !== "tool-result" || part.output.type !== "text") return 0;
  return tokenizer.count(part.toolName) + tokenizer.count(part.output.value);
}

/** Every text of a message that has to be tokenised. */
export function textsOf({ content }: ModelMessage): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((part) => {
    if (part.type === "text" || part.type === "reasoning") return [part.text];
    if (part.type === "tool-call") return [part.toolName, JSON.stringify(part.input)];
    if (part.type === "tool-result" && part.output.type === "text") return [part.toolName, part.output.value];
    return [];
  });
}
