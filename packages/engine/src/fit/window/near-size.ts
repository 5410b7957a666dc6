import type { MessageEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { openCalls } from "../../model/open-calls.ts";
import { type TokenAccount, messageFrame, toolFrame } from "../../tokens/account.ts";
import { isPlainMessage } from "../log/check-entry.ts";
import { recentShare } from "../rungs/decide.ts";
import { minFrame } from "./min-tokens.ts";
import type { Limits } from "../rungs/limits.ts";
import { maskResults } from "../rungs/mask-results.ts";
import { shapeOf } from "../log/measure.ts";

/** The newest messages of a session, sized from the end as a cut down to the target would send them. */
export interface NearSize {
  /** Takes the next message, going backwards. True once a turn is whole and there is more than the target holds. */
  take(entry: MessageEntry): boolean;
  /** Lower bound of the tokens they add to a build of all messages; fewer if the results in it may be masked. */
  least(isMasked: boolean): number;
  /** Whether an assistant message is among them: then the calls of those further back have been answered, or will be. */
  hasAssistant(): boolean;
}

/** Counts exactly, and nothing that the cut would not have to count: results that are old enough count as masked. */
export function nearSize(limits: Limits, account: TokenAccount): NearSize {
  const room = limits.targetTokens * recentShare;
  let size = 0;
  let counted = 0;
  let least = 0;
  let minWhole = 0;
  let isRecent = true;
  let isNewest = true;
  // The calls of the last assistant message may still be open, and then they have no result.
  let hasAssistant = false;
  /** Results whose call is still to come: a group is recent as a whole or not at all. */
  let results: ModelMessage[] = [];

  /** True when a group with these results is too old for them to be sent whole. */
  const isOld = (own: number): boolean => {
    let tokens = size + own;
    for (const message of results) {
      if (account.isAbove(message, room - tokens)) return true;
      tokens += account.countMessage(message);
    }
    return tokens > room;
  };
  /** The results of the group that a message opens, as they would be sent. */
  const closeGroup = (own: number): number => {
    if (isRecent && !isNewest && isOld(own)) isRecent = false;
    isNewest = false;
    let tokens = 0;
    for (const message of results) tokens += account.countMessage(isRecent ? message : maskResults(message));
    if (results.length > 0) results = [];
    return tokens;
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
        results.push(message);
        return false;
      }
      const { isBlank, opens, answers } = shapeOf(message);
      if (isBlank) return false;
      const own = account.countMessage(message);
      const group = results;
      const resultTokens = closeGroup(own);
      size += own + resultTokens;
      const frames = hasAssistant && opens.length > 0 ? messageFrame + opens.length * toolFrame : 0;
      const surely = answers.length > 0 ? minFrame(message, hasAssistant) : own + frames;
      least += surely;
      minWhole += isRecent && answers.length === 0 && areAnswers(group, opens) ? own + resultTokens : surely;
      hasAssistant ||= message.role === "assistant";
      return message.role === "user" && size > limits.targetTokens;
    },
    least: (isMasked) => (isMasked ? least : minWhole),
    hasAssistant: () => hasAssistant,
  };
}

/** Whether all of these results are answers to calls that one message makes, so that none is without its call. */
function areAnswers(results: readonly ModelMessage[], opens: readonly string[]): boolean {
  if (results.length === 0 || opens.length === 0) return false;
  const open = openCalls();
  for (const key of opens) open.open(key, 0);
  return results.every((message) => shapeOf(message).answers.every(({ key }) => open.answer(key) !== undefined));
}
