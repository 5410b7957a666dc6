import type { ModelMessage } from "../model/messages.ts";
import { cues } from "./extractive-cues.ts";
import { clipEnd } from "./extractive-sentences.ts";

/** Further back than this, what was put off has most likely been settled since. */
const near = 30;

/**
 * Says whether what a message asks has not been answered: the other side said nothing after it, or, near the end, only
 * put it off.
 */
export function replyFinder(messages: readonly ModelMessage[]): (index: number) => boolean {
  const unanswered: boolean[] = Array.from({ length: messages.length }, () => false);
  const nextText: Partial<Record<ModelMessage["role"], string>> = {};
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as ModelMessage;
    const reply = nextText[message.role === "assistant" ? "user" : "assistant"];
    const isNear = messages.length - index <= near;
    unanswered[index] = reply === undefined || (isNear && reply.length < 120 && cues.deferral.test(reply));
    const text = firstText(message).trim();
    if (text !== "") nextText[message.role] = clipEnd(text, 200);
  }
  return (index) => unanswered[index] ?? false;
}

function firstText({ content }: ModelMessage): string {
  if (typeof content === "string") return clipEnd(content, 1000);
  const part = content.find((candidate) => candidate.type === "text");
  return part?.type === "text" ? clipEnd(part.text, 1000) : "";
}
