import type { ModelMessage } from "../../model/messages.ts";
import { minFrame, minText } from "./min-tokens.ts";
import type { Limits } from "../rungs/limits.ts";
import { roughTokens } from "../log/measure.ts";
import type { NearSize } from "./near-size.ts";
import type { Beyond, Reach } from "../log/reach.ts";

/** Messages further back than a build can reach: counted, and looked at only until it is certain that there is too much. */
export interface FarTally {
  /** Takes the next message, going backwards; nothing for one that was erased. */
  pass(message: ModelMessage | undefined): void;
  passRun: Reach["passRun"];
  /** Nothing when it is not certain that there is too much. Results that a compaction in force may mask prove less. */
  finish(isMasked: boolean): Beyond | undefined;
}

export function farTally(limits: Limits, near: NearSize, atLeast: ((text: string) => number) | undefined): FarTally {
  let count = 0;
  let tokens = 0;
  /** Of these and of those that are near, but for what results have besides their frames. */
  let minTokens = near.least(true);
  const resultTokens = near.least(false) - minTokens;
  let least = 0;
  let hasAssistant = near.hasAssistant();
  let isCertain = false;
  /** Those whose texts may have to be looked at after all. */
  const frames: ModelMessage[] = [];
  const takeFrame = (message: ModelMessage): void => {
    const frame = minFrame(message, hasAssistant);
    minTokens += frame;
    if (frame > 0 && message.role !== "system") least += 1;
    hasAssistant ||= message.role === "assistant";
    frames.push(message);
    isCertain = minTokens > limits.tokens && (limits.messages === Infinity || least > limits.messages);
  };
  return {
    pass(message) {
      count += 1;
      if (!message) return;
      tokens += roughTokens(message);
      if (!isCertain) takeFrame(message);
    },
    passRun(entries, from, erased) {
      let index = from;
      // Kept here while the run lasts: a long log is a matter of how little is done for each of its messages.
      let sum = 0;
      for (; index >= 0; index -= 1) {
        const entry = entries[index];
        if (entry?.type !== "message" || entry.parentId !== undefined) break;
        if (erased.size > 0 && erased.has(entry.id)) break;
        // Not checked yet.
        const message: ModelMessage | undefined = entry.message;
        if (!message) continue;
        sum += roughTokens(message);
        if (!isCertain) takeFrame(message);
      }
      count += from - index;
      tokens += sum;
      return index;
    },
    finish(isMasked) {
      if (!isMasked) minTokens += resultTokens;
      // Frames came first: they are many, and cost less to look at than texts.
      for (const message of frames) {
        if (!atLeast || minTokens > limits.tokens) break;
        minTokens += minText(message, atLeast);
      }
      return count > 0 && minTokens > limits.tokens ? { count, tokens, least } : undefined;
    },
  };
}
