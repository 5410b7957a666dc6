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
  /** Takes the next message, going backwards. True once nothing before it could be sent, if there is too much. */
  take(entry: MessageEntry): boolean;
  /** Whether there is certainly too much, given all the messages before those that were taken, newest first. */
  isTooMuch(far: readonly MessageEntry[]): boolean;
}

export function openReach(limits: Limits, { atLeast }: Tokenizer): Reach {
  let tokens = 0;
  // The calls of the last assistant message may still be open, and then they have no result.
  let isAnswered = false;
  return {
    take(entry) {
      // What the schema has yet to judge is taken for nothing.
      if (!isPlainMessage(entry)) return false;
      const { message } = entry;
      tokens += leastFrame(message, isAnswered) + (atLeast ? leastText(message, atLeast) : 0);
      isAnswered ||= message.role === "assistant";
      // Turns stay whole, so that calls and results do.
      return tokens > limits.targetTokens && message.role === "user" && !shapeOf(message).isBlank;
    },
    isTooMuch(far) {
      // Frames first: they are many, and cost less to look at than texts.
      for (let index = 0; tokens <= limits.tokens && index < far.length; index += 1) {
        const { message } = far[index] as MessageEntry;
        tokens += leastFrame(message, isAnswered);
        isAnswered ||= message.role === "assistant";
      }
      for (let index = 0; tokens <= limits.tokens && index < far.length; index += 1) {
        tokens += atLeast ? leastText((far[index] as MessageEntry).message, atLeast) : 0;
      }
      return tokens > limits.tokens;
    },
  };
}
