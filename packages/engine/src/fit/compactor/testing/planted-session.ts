import type { ModelMessage } from "../../../model/messages.ts";

/** What a session is about; what is said and done around the facts follows from it. */
type Setting = "coding" | "data" | "machines" | "prose" | "play" | "life";

/** Something that a person would expect to be remembered. */
interface Fact {
  readonly kind: "request" | "decision" | "error" | "question";
  readonly messages: readonly ModelMessage[];
  /** The words without which its meaning is lost; all of them must be there. */
  readonly keys: readonly string[];
}

export interface PlantedSession {
  readonly name: string;
  readonly language: "en" | "zh";
  readonly setting: Setting;
  readonly facts: readonly Fact[];
}

export const user = (content: string): ModelMessage => ({ role: "user", content });

export const assistant = (content: string): ModelMessage => ({ role: "assistant", content });

/** The same for the same words, and another one for nearly all others. */
const idOf = (text: string): string => {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return `call_${(hash >>> 0).toString(36)}`;
};

/** A tool call, what was said with it, and what it gave. */
export function ran(toolName: string, input: object, value: string, text?: string): readonly ModelMessage[] {
  const toolCallId = idOf(JSON.stringify([toolName, input, value]));
  const call = { type: "tool-call", toolCallId, toolName, input } as const;
  return [
    { role: "assistant", content: text === undefined ? [call] : [{ type: "text", text }, call] },
    { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] },
  ];
}

type Said = ModelMessage | readonly ModelMessage[];

const factOf =
  (kind: Fact["kind"]) =>
  (keys: readonly string[], ...said: readonly Said[]): Fact => ({ kind, keys, messages: said.flat() });

export const request = factOf("request");
export const decision = factOf("decision");
export const failure = factOf("error");
export const question = factOf("question");
