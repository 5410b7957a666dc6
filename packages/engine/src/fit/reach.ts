import type { MessageEntry } from "../model/entries.ts";
import type { Tokenizer } from "../tokens/tokenizer.ts";
import { isPlainMessage } from "./check-entry.ts";
import { leastFrame, leastText } from "./least-tokens.ts";
import type { Limits } from "./limits.ts";
import { shapeOf } from "./measure.ts";

/**
 * Tells, while a session is read from its end, which messages no build can send any more: that there is too much for the
 * limit is certain from what each message has at least, and then the cut goes down to the target. So nobody has to look
 * closely at ten thousand messages to learn that they are too many.
 */
export interface Reach {
  /** Takes the next message, going backwards. */
  take(entry: MessageEntry): void;
  /** True once nothing before the last message taken could be sent, if there is too much. Turns stay whole. */
  readonly isBehindTarget: boolean;
  /** Whether there is certainly too much, given all the messages that were taken after that, newest first. */
  isTooMuch(far: Iterable<MessageEntry>): boolean;
}

export function openReach(limits: Limits, { atLeast }: Tokenizer): Reach {
  let tokens = 0;
  let isBehindTarget = false;
  // The calls of the last assistant message may still be open, and then they have no result.
  let isAnswered = false;
  return {
    take(entry) {
      // What the schema has yet to judge is taken for nothing.
      if (!isBehindTarget && !isPlainMessage(entry)) return;
      const { message } = entry;
      tokens += leastFrame(message, isAnswered);
      isAnswered ||= message.role === "assistant";
      if (isBehindTarget) return;
      if (atLeast) tokens += leastText(message, atLeast);
      isBehindTarget = tokens > limits.targetTokens && message.role === "user" && !shapeOf(message).isBlank;
    },
    get isBehindTarget() {
      return isBehindTarget;
    },
    isTooMuch(far) {
      if (tokens > limits.tokens || !atLeast) return tokens > limits.tokens;
      for (const { message } of far) {
        tokens += leastText(message, atLeast);
        if (tokens > limits.tokens) return true;
      }
      return false;
    },
  };
}
