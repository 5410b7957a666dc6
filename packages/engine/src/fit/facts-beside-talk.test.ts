import { expect, test } from "vitest";
import type { CompactionEntry, SessionEntry } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";
import { loadTokenizer } from "../tokens/counters/load-tokenizer.ts";
import { extractiveCompactor } from "./compactor/extractive-compactor.ts";
import { chineseCoding } from "./compactor/testing/chinese-coding-facts.ts";
import { chineseOther } from "./compactor/testing/chinese-other-facts.ts";
import { englishCoding } from "./compactor/testing/english-coding-facts.ts";
import { englishOther } from "./compactor/testing/english-other-facts.ts";
import { messagesOf } from "./compactor/testing/planted-messages.ts";
import type { PlantedSession } from "./compactor/testing/planted-session.ts";
import { ContextManager } from "./context-manager.ts";

// 96 facts, written before the compactor was looked at, by the rule of how people talk and not of what it finds. Nothing of
// the compactor may be fitted to their words: in each of two rounds, half of them were only counted.

const sessions = [...englishCoding, ...englishOther, ...chineseCoding, ...chineseOther];

/** All that a model reads of these messages. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(textOf).join("\n") : "";
}

interface Replayed {
  /** The input of the third compaction after all that was planted has left. */
  readonly input: readonly ModelMessage[];
  /** All other messages of the session. */
  readonly others: readonly ModelMessage[];
}

async function replay(session: PlantedSession, manager: ContextManager, maxLines: number): Promise<Replayed> {
  const planted = new Set(session.facts.flatMap(({ messages }) => messages));
  const others: ModelMessage[] = [];
  const log: SessionEntry[] = [];
  let [toPlant, lastPlanted, cuts] = [planted.size, 0, 0];
  for (const message of messagesOf(session, maxLines)) {
    if (planted.has(message)) [toPlant, lastPlanted] = [toPlant - 1, log.length];
    else others.push(message);
    log.push({ id: `m${log.length}`, ts: 0, type: "message", message });
    if (message.role === "assistant") continue;
    const { entriesToAppend, modelMessages } = await manager.buildContext({ sessionEntries: log });
    const cut = entriesToAppend.find((entry): entry is CompactionEntry => entry.type === "compaction");
    const firstKept = log.findIndex(({ id }) => id === cut?.firstKeptEntryId);
    log.push(...entriesToAppend);
    if (cut?.summary !== undefined && toPlant === 0 && firstKept > lastPlanted) cuts += 1;
    if (cuts === 3) return { input: modelMessages, others };
  }
  throw new Error("A session goes on for ever.");
}

test("[R3] the fixture has 96 facts: of each of four kinds as many, half of them in Chinese", () => {
  const kinds = sessions.flatMap(({ facts, language }) => facts.map(({ kind }) => `${kind} ${language}`));
  const counts = [...new Set(kinds)].map((name) => kinds.filter((kind) => kind === name).length);
  expect(counts).toEqual(Array.from({ length: 8 }, () => 12));
});

test.each([
  [91, 8000],
  [94, 32_000],
])("[R3] of 96 facts in talk of many kinds, %i survive three compactions into %i", async (least, maxInputTokens) => {
  const tokenizer = await loadTokenizer("o200k_base");
  const lost: string[] = [];
  for (const session of sessions) {
    const manager = new ContextManager({ config: { maxInputTokens }, tokenizer, compactor: extractiveCompactor() });
    const { input, others } = await replay(session, manager, maxInputTokens === 8000 ? 24 : 90);
    const [sent, talk] = [textOf(input), textOf(others)];
    for (const { kind, keys, messages } of session.facts) {
      expect(keys.every((key) => textOf(messages).includes(key))).toBe(true);
      // Nothing else tells it, and what told it was not sent again.
      expect(keys.every((key) => talk.includes(key))).toBe(false);
      for (const { content } of messages) expect(input.map((message) => message.content)).not.toContainEqual(content);
      const missing = keys.filter((key) => !sent.includes(key));
      if (missing.length > 0) lost.push(`${session.name}, ${kind}: ${missing.join(", ")}`);
    }
  }
  // The list is shown where it is too long.
  expect(lost.slice(96 - least)).toEqual([]);
});
