import type { MessagePart, ModelMessage } from "../../model/messages.ts";
import { messageFrame, toolFrame } from "../../tokens/account.ts";

// Results themselves add nothing here: they may be masked, or have no call and go. Nor does what is blank, which goes too.
// What is far back in a log has not been checked: anything that is not a message is ignored.

/** Lower bound of the tokens that a message's frames add to a build, with those of its calls' results if they are answered. */
export function minFrame({ role, content }: ModelMessage, isAnswered: boolean): number {
  if (role === "tool") return 0;
  if (typeof content === "string") return startsVisibly(content) ? messageFrame : 0;
  if (!Array.isArray(content)) return 0;
  let calls = 0;
  for (const part of content) if (part?.type === "tool-call") calls += 1;
  // A text is looked at only where it matters: in a long log each is far away in memory.
  if (calls === 0) return content.some(isVisible) ? messageFrame : 0;
  return messageFrame + calls * toolFrame + (isAnswered ? messageFrame + calls * toolFrame : 0);
}

function isVisible(part: MessagePart): boolean {
  return part?.type === "text" && typeof part.text === "string" && startsVisibly(part.text);
}

/** Lower bound of what its texts and arguments add to that. */
export function minText({ role, content }: ModelMessage, atLeast: (text: string) => number): number {
  if (role === "tool") return 0;
  if (typeof content === "string") return atLeast(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const part of content) {
    if (part?.type === "tool-call") tokens += minInput(part.input, atLeast);
    else if (part?.type === "text" && typeof part.text === "string") tokens += atLeast(part.text);
  }
  return tokens;
}

/** Of the texts alone: writing them as JSON puts signs between letters, never takes them away. */
function minInput(input: unknown, atLeast: (text: string) => number): number {
  if (typeof input === "string") return atLeast(input);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return 0;
  let tokens = 0;
  for (const value of Object.values(input)) if (typeof value === "string") tokens += atLeast(value);
  return tokens;
}

function startsVisibly(text: string): boolean {
  const code = text.charCodeAt(0);
  return code > 0x20 && code < 0x7f;
}
