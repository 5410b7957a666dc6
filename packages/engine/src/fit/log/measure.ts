import type { MessageEntry, Tally } from "../../model/entries.ts";
import type { MessagePart, ModelMessage } from "../../model/messages.ts";
import { approvalKey, callKey } from "../../model/open-calls.ts";

/** What a fit needs to know of a message besides its size. */
export interface Shape {
  readonly isBlank: boolean;
  /** Calls and approval requests that it opens. */
  readonly opens: readonly string[];
  /** Calls and approval requests that it answers, as indexes into its content. */
  readonly answers: readonly { readonly key: string; readonly part: number }[];
}

const plain: Shape = { isBlank: false, opens: [], answers: [] };
const blank: Shape = { isBlank: true, opens: [], answers: [] };

export function shapeOf({ content }: ModelMessage): Shape {
  if (typeof content === "string") return isBlankText(content) ? blank : plain;
  return readShape(content);
}

function readShape(content: Exclude<ModelMessage["content"], string>): Shape {
  const opens: string[] = [];
  const answers: { key: string; part: number }[] = [];
  let isBlank = true;
  for (let index = 0; index < content.length; index += 1) {
    const part = content[index] as MessagePart;
    if (part.type === "tool-call") opens.push(callKey(part));
    else if (part.type === "tool-approval-request") opens.push(approvalKey(part));
    else if (part.type === "tool-result") answers.push({ key: callKey(part), part: index });
    else if (part.type === "tool-approval-response") answers.push({ key: approvalKey(part), part: index });
    if ((part.type !== "text" && part.type !== "reasoning") || !isBlankText(part.text)) isBlank = false;
  }
  if (opens.length === 0 && answers.length === 0) return isBlank ? blank : plain;
  return { isBlank, opens, answers };
}

/** Looks no further than the first visible character. */
function isBlankText(text: string): boolean {
  return text === "" || !/\S/.test(text);
}

/** About how many tokens a message has, from its length alone: for what is not sent and need not be counted. */
export function roughTokens(message: ModelMessage): number {
  return Math.ceil(lengthOf(message) / 4);
}

/** How many they are, and about how much. */
export function tallyOf(entries: readonly MessageEntry[]): Tally {
  let tokens = 0;
  for (const { message } of entries) tokens += roughTokens(message);
  return { count: entries.length, tokens };
}

export function addTallies(a: Tally, b: Tally): Tally {
  return { count: a.count + b.count, tokens: a.tokens + b.tokens };
}

/** Anything that is not text counts as a line. */
const line = 40;

function lengthOf({ content }: ModelMessage): number {
  if (typeof content === "string") return content.length;
  let length = 0;
  for (const part of content) {
    if (part.type === "text" || part.type === "reasoning") length += part.text.length;
    else if (part.type === "tool-result" && part.output.type === "text") length += part.output.value.length;
    else length += line;
  }
  return length;
}
