import type { ModelMessage } from "../../model/messages.ts";
import { trait } from "./cue-tables.ts";
import { cues } from "./cues.ts";
import { clipEnd } from "./sentences.ts";
import { isSure, traitsOf } from "./traits.ts";

/** Further back than this, what was put off has most likely been settled since. */
const near = 30;

/**
 * Says whether what a message asks has not been answered: the other side said nothing after it, or, near the end, only
 * put it off.
 */
export interface Replies {
  isOpen(index: number): boolean;
  /** The same for what was asked before the first message. */
  isOpenBefore(asker: "user" | "assistant"): boolean;
}

export function findReplies(messages: readonly ModelMessage[]): Replies {
  const unanswered: boolean[] = Array.from({ length: messages.length }, () => false);
  /** By who says it, whether what is said next only puts off. */
  const next: Partial<Record<ModelMessage["role"], boolean>> = {};
  const isOpen = (asker: ModelMessage["role"], index: number): boolean => {
    const isPutOff = next[asker === "assistant" ? "user" : "assistant"];
    return isPutOff === undefined || (isPutOff && messages.length - index <= near);
  };
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as ModelMessage;
    unanswered[index] = isOpen(message.role, index);
    const text = firstText(message).trim();
    if (text === "") continue;
    const isPutOff = putsOff(text);
    // "Let me check" does not answer, but what comes after it may be one.
    if (message.role !== "assistant" || !isPutOff) next[message.role] = isPutOff;
  }
  return {
    isOpen: (index) => unanswered[index] ?? false,
    isOpenBefore: (asker) => isOpen(asker, 0),
  };
}

function putsOff(reply: string): boolean {
  if (reply.length >= 120) return false;
  const traits = traitsOf(reply);
  return (traits & trait.deferral) !== 0 && (isSure(traits, trait.deferral) || cues.deferral.test(reply));
}

function firstText({ content }: ModelMessage): string {
  if (typeof content === "string") return clipEnd(content, 1000);
  const part = content.find((candidate) => candidate.type === "text");
  return part?.type === "text" ? clipEnd(part.text, 1000) : "";
}
