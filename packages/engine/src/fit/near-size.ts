import type { MessageEntry } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";
import { type TokenAccount, messageFrame, toolFrame } from "../tokens/account.ts";
import { isPlainMessage } from "./check-entry.ts";
import { recentShare } from "./decide.ts";
import { leastFrame } from "./least-tokens.ts";
import type { Limits } from "./limits.ts";
import { maskResults } from "./mask-results.ts";
import { shapeOf } from "./measure.ts";

/** The newest messages of a session, sized from the end as a cut down to the target would send them. */
export interface NearSize {
  /** Takes the next message, going backwards. True once a turn is whole and there is more than the target holds. */
  take(entry: MessageEntry): boolean;
  /** So many tokens they add to any build at least. */
  least(): number;
  /** Whether an assistant message is among them: then the calls of those further back have been answered, or will be. */
  hasAssistant(): boolean;
}

/** Counts exactly, and nothing that the cut would not have to count: results that are old enough count as masked. */
export function nearSize(limits: Limits, account: TokenAccount): NearSize {
  const room = limits.targetTokens * recentShare;
  let size = 0;
  let counted = 0;
  let least = 0;
  let isRecent = true;
  let isNewest = true;
  // The calls of the last assistant message may still be open, and then they have no result.
  let hasAssistant = false;
  /** Results whose call is still to come: a group is recent as a whole or not at all. */
  let results: ModelMessage[] = [];
  let resultTokens = 0;

  const takeResults = (message: ModelMessage): void => {
    if (isRecent) {
      results.push(message);
      resultTokens += account.countMessage(message);
    } else size += account.countMessage(maskResults(message));
  };
  const closeGroup = (own: number): void => {
    if (isRecent && !isNewest && size + own + resultTokens > room) {
      isRecent = false;
      resultTokens = 0;
      for (const message of results) resultTokens += account.countMessage(maskResults(message));
    }
    size += own + resultTokens;
    resultTokens = 0;
    if (results.length > 0) results = [];
    isNewest = false;
  };
  return {
    take(entry) {
      // What the schema has yet to judge is taken for nothing.
      if (!isPlainMessage(entry)) return false;
      const { message } = entry;
      if (message.role !== "system") counted += 1;
      // Turns stay whole, so that calls and results do: what is left of this one need not be counted.
      const isFull = size > limits.targetTokens || counted > limits.targetMessages;
      if (isFull && message.role === "user") return !shapeOf(message).isBlank;
      if (isFull) return false;
      if (message.role === "tool") {
        takeResults(message);
        return false;
      }
      const { isBlank, opens, answers } = shapeOf(message);
      if (isBlank) return false;
      const own = account.countMessage(message);
      closeGroup(own);
      if (answers.length > 0) least += leastFrame(message, hasAssistant);
      else least += own + (hasAssistant && opens.length > 0 ? messageFrame + opens.length * toolFrame : 0);
      hasAssistant ||= message.role === "assistant";
      return message.role === "user" && size > limits.targetTokens;
    },
    least: () => least,
    hasAssistant: () => hasAssistant,
  };
}
