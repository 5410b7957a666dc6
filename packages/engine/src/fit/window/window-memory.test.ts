import { expect, test } from "vitest";
import type { SessionEntry } from "../../model/entries.ts";
import type { Tokenizer } from "../../tokens/counters/tokenizer.ts";
import { ContextManager } from "../context-manager.ts";

/** Counts words, and writes down what it was asked. */
function listeningTokenizer(): Tokenizer & { readonly asked: string[] } {
  const asked: string[] = [];
  const count = (text: string): number => {
    asked.push(text);
    return text.split(" ").length;
  };
  return { id: "words", exactness: "exact", count, asked };
}

test("[F4] however many turns a window has grown by, and when it is cut after them, each message is counted once", async () => {
  const tokenizer = listeningTokenizer();
  const manager = new ContextManager({ config: { maxInputTokens: 600 }, tokenizer });
  const sessionEntries: SessionEntry[] = [];
  const said: string[] = [];
  let cuts = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    for (const role of ["user", "assistant"] as const) {
      // Too short to be known by its content.
      const content = `${role[0]} ${turn} ${"x ".repeat(4)}`;
      const message = { role, content } as const;
      said.push(content);
      sessionEntries.push({ id: `${role}${turn}`, ts: turn, type: "message", message });
    }
    const { entriesToAppend, compacted } = await manager.buildContext({ sessionEntries });
    sessionEntries.push(...entriesToAppend);
    if (compacted) cuts += 1;
  }
  expect(cuts).toBeGreaterThan(2);
  expect(tokenizer.asked.filter((text) => /^[ua] /.test(text)).toSorted()).toEqual(said.toSorted());
});
