import { expect, test } from "vitest";
import { quarter } from "../fit/testing/sessions.ts";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/check/errors.ts";
import type { ModelMessage } from "../model/messages.ts";
import { namesIn } from "../model/names.ts";
import { tokenAccount } from "../tokens/account.ts";
import { extractiveCompactor } from "../fit/compactor/extractive-compactor.ts";
import { ContextManager } from "../fit/context-manager.ts";
import { recall } from "../fit/recall/recall.ts";
import { fittedInputs, loggedInputs, replayedMessages } from "./replayed-inputs.ts";
import { measureRetention } from "./retention.ts";

const account = tokenAccount(quarter);
const user = (content: string): ModelMessage => ({ role: "user", content });
const reply = (content: string): ModelMessage => ({ role: "assistant", content });
const filler = "nothing of note ".repeat(20);

test("[R5] of the names and lines that a reply repeats, those in the input of its call are present, and old ones are far", async () => {
  const messages = [
    user("Mend src/hull.ts\nnobody may touch the mast of it"),
    user(filler),
    user("and raiseSail"),
    reply("src/hull.ts and raiseSail, on port_new\n  nobody may touch the mast of it"),
    reply("port_new"),
  ];
  const inputOf = (index: number): ModelMessage[] => messages.slice(Math.max(0, index - 1), index);
  expect(await measureRetention(messages, { account, budget: 40, inputOf })).toMatchObject({
    calls: 2,
    refused: 0,
    overBudget: 0,
    names: { used: 3, present: 2 },
    farNames: { used: 1, present: 0 },
    lines: { used: 1, present: 0 },
  });
});

test("[R5] calls without an input count as refused, larger inputs as over the budget; other errors are not hidden", async () => {
  const messages = [user("raiseSail"), reply("raiseSail"), reply("raiseSail")];
  const refuse = (index: number): ModelMessage[] => {
    if (index === 1) throw new GalleyError("ContextOverflow", "Too large.", { hint: "Use a larger window." });
    return [user(filler)];
  };
  expect(await measureRetention(messages, { account, budget: 40, inputOf: refuse })).toMatchObject({
    calls: 1,
    refused: 1,
    overBudget: 1,
    names: { used: 1, present: 0 },
  });
  const fail = (): never => {
    throw new Error("broken");
  };
  await expect(measureRetention(messages, { account, budget: 40, inputOf: fail })).rejects.toThrow("broken");
});

test("[R5] what an agent's log says that its calls had read is measured as it was", async () => {
  const entry = (id: string, message: ModelMessage): SessionEntry => ({ id, ts: 0, type: "message", message });
  const log: SessionEntry[] = [
    entry("a", user("Mend src/hull.ts and src/mast.ts")),
    entry("b", reply("src/hull.ts")),
    { id: "c", ts: 0, type: "compaction", firstKeptEntryId: null, summary: "Mend src/mast.ts." },
    entry("d", user("Go on")),
    entry("e", reply("src/hull.ts, src/mast.ts")),
  ];
  const { messages, inputOf } = loggedInputs(log);
  expect(await inputOf(3)).toEqual([user("Mend src/mast.ts."), user("Go on")]);
  expect(await measureRetention(messages, { account, budget: 8000, inputOf })).toMatchObject({
    calls: 2,
    names: { used: 3, present: 2 },
  });
});

test("[R5] a replay leaves out what an agent with this window would not have had, but no tool result", () => {
  const result: ModelMessage = {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "read", output: { type: "text", value: filler } }],
  };
  const entries = [user(filler), result, reply("yes")].map((message, index): SessionEntry => ({
    id: `m${index}`,
    ts: 0,
    type: "message",
    message,
  }));
  expect(replayedMessages(entries, account, 40)).toEqual([result, reply("yes")]);
});

test("[R5] names of Chinese text stand in quotes or are titles, and paths may have folders of other scripts", () => {
  expect([...namesIn("请看《煤油税法案》和src/主页.tsx文件，他说“明天出发”。")]).toEqual([
    "src/主页.tsx",
    "煤油税法案",
    "明天出发",
  ]);
  expect([...namesIn("现在逆风，煤油税还要算进去吗？“Hello there”")]).toEqual([]);
});

test.each([
  ["Call raiseSail, then lower_sail (see mast.rs).", ["raiseSail", "lower_sail", "mast.rs"]],
  ["a full stop. e.g. this/ or 1.5, v12 and 12345", ["this/", "12345"]],
  ["hull.ts:12 ./src/hull.ts. @me -- ...", ["src/hull.ts"]],
  ["ERROR 42 Hello well-known", []],
])("[R5] the names of %j are %j", (text, names) => {
  expect([...namesIn(text)]).toEqual(names);
});

test("[R5] a run that is longer than a name is read in pieces", () => {
  expect([...namesIn(`${"a/".repeat(65)}end.ts`)].map((name) => name.length)).toEqual([120, 16]);
});

test("[R5] what is not present is reachable by a handle in the input, for a model that can open it, or lost", async () => {
  const messages = Array.from({ length: 40 }, (_, at) => [
    user(`Look at src/plank-${at}.ts`),
    reply(`It holds beam_${at} beside src/plank-${Math.max(0, at - 30)}.ts. ${filler}`),
  ]).flat();
  const measured = async (isRecalled: boolean) => {
    const manager = new ContextManager({
      config: { maxInputTokens: 500, recall: isRecalled },
      tokenizer: quarter,
      ...(isRecalled ? { compactor: extractiveCompactor() } : {}),
    });
    const { inputOf, reaches } = fittedInputs(messages, manager);
    return measureRetention(messages, { account, budget: 500, inputOf, reaches });
  };
  const { names } = await measured(true);
  expect(names.lost).toBe(0);
  expect(names.reachable).toBeGreaterThan(0);
  expect(names.present + names.reachable).toBe(names.used);
  const without = await measured(false);
  expect(without.names).toMatchObject({ used: names.used, reachable: 0 });
  expect(without.names.lost).toBe(names.used - without.names.present);
});

test("[R5] a place that is said to be reachable is what its handle gives", async () => {
  const messages = Array.from({ length: 40 }, (_, at) => user(`Look at src/plank-${at}.ts ${filler}`));
  const manager = new ContextManager({ config: { maxInputTokens: 500, recall: true }, tokenizer: quarter });
  const log: SessionEntry[] = messages.map((message, at) => ({ id: `m${at}`, ts: 0, type: "message", message }));
  const { modelMessages, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
  log.push(...entriesToAppend);
  const { reaches } = fittedInputs(messages, manager);
  const reached = messages.flatMap((_, at) => (reaches(modelMessages, [at]) ? [at] : []));
  expect(reached.length).toBeGreaterThan(10);
  for (const at of reached) {
    expect(recall(log, { handle: `§${at + 1}` }, { account }).text).toContain(`src/plank-${at}.ts`);
  }
});
