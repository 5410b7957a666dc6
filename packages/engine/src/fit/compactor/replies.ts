import type { ModelMessage } from "../../model/messages.ts";
import { trait } from "./cue-tables.ts";
import { cues } from "./cues.ts";
import { clipEnd } from "./sentences.ts";
import { agrees } from "./small-talk.ts";
import { isSure, traitsOf } from "./traits.ts";

/**
 * What became of a question or a proposal: nobody said anything after it, it was only put off, or it was most likely answered; with
 * no more than a yes it was agreed to.
 */
export type Reply = "none" | "put off" | "answered" | "agreed";

/** Says how the other side replied to a message. */
export interface Replies {
  to(index: number): Reply;
  /** The same for what was asked before the first message. */
  toEarlier(asker: "user" | "assistant"): Reply;
}

/** Nothing is looked for before it is asked: most messages hold no question. */
export function findReplies(messages: readonly ModelMessage[]): Replies {
  let found: Replies | undefined;
  return {
    to: (index) => (found ??= lookForReplies(messages)).to(index),
    toEarlier: (asker) => (found ??= lookForReplies(messages)).toEarlier(asker),
  };
}

function lookForReplies(messages: readonly ModelMessage[]): Replies {
  const replies: Reply[] = Array.from({ length: messages.length }, () => "answered");
  /** By who says it, what is said next is as a reply. */
  const next: Partial<Record<ModelMessage["role"], Reply>> = {};
  const replyTo = (asker: ModelMessage["role"]): Reply => next[asker === "assistant" ? "user" : "assistant"] ?? "none";
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as ModelMessage;
    // What a model asks before it goes on, it asks itself.
    const goesOn = message.role === "assistant" && (hasCall(message) || messages[index + 1]?.role === "assistant");
    replies[index] = goesOn ? "answered" : replyTo(message.role);
    const text = firstText(message).trim();
    if (text === "") continue;
    const isPutOff = putsOff(text);
    // "Let me check" does not answer, but what comes after it may be one.
    if (message.role === "assistant" && isPutOff) continue;
    next[message.role] = isPutOff ? "put off" : agrees(text) ? "agreed" : "answered";
  }
  return { to: (index) => replies[index] ?? "answered", toEarlier: replyTo };
}

function hasCall({ content }: ModelMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool-call");
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
