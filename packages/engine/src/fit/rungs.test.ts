import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf, textOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { Compactor } from "./compactor/compactor.ts";
import type { ContextManagerInit } from "./context-manager.ts";
import { build, call, fates, manager, result, say, user, words } from "./testing/fit-builder.ts";
import { undoCompaction } from "./log/undo-compaction.ts";

test("[F5] what is pinned and does not fit is an error that lists it, and nothing is half done", async () => {
  await expect(build([user(words(500))], 100, { systemPrompt: words(50) })).rejects.toMatchObject({
    code: "ContextOverflow",
    message: expect.stringMatching(/system text.*newest message h1/),
  });
});

test("[F5] room for the reply is taken off first", async () => {
  const messages = [user(words(50)), say(words(50)), user("now")];
  const all = await build(messages, 200);
  const reserved = await build(messages, 200, { config: { maxInputTokens: 200, reserveOutputTokens: 100 } });
  expect(all.stats.messageCount).toBe(3);
  expect(reserved.stats.inputTokens).toBeLessThanOrEqual(100);
});

test("[F5] maxHistoryMessages counts history messages, down to the target", async () => {
  const messages = Array.from({ length: 20 }, (_, index) => (index % 2 ? say(`a${index}`) : user(`u${index}`)));
  const built = await build(messages, 10_000, {
    systemPrompt: "S",
    config: { maxInputTokens: 10_000, maxHistoryMessages: 10 },
  });
  expect(built.modelMessages.map(textOf)).toEqual(["S", "a15", "u16", "a17", "u18", "a19"]);
});

test("[F6] the user message of a long run stays, though older groups of the run go", async () => {
  const run = Array.from({ length: 20 }, (_, index) => [call(`c${index}`), result(`c${index}`, words(20))]).flat();
  const built = await build([user("old"), say("old answer"), user("the task"), ...run], 300);
  const [first, ...rest] = built.modelMessages;
  expect(first).toEqual(user("the task"));
  expect(rest.length).toBeGreaterThan(2);
  expect(built.stats.inputTokens).toBeLessThanOrEqual(300);
  const again = await manager(300).buildContext({
    sessionEntries: [
      ...entriesOf([user("old"), say("old answer"), user("the task"), ...run]),
      ...built.entriesToAppend,
    ],
  });
  expect(again.modelMessages).toEqual(built.modelMessages);
});

test("[F7] [R1] old tool results are masked first: the call stays, the result becomes a note with its handle and size", async () => {
  const built = await build([user("a"), call("1"), result("1", words(100)), say("b"), user("c")], 120, {
    config: { maxInputTokens: 120, targetRatio: 0.9 },
  });
  expect(fates(built)).toEqual(["h1 kept", "h2 kept", "h3 masked", "h4 kept", "h5 kept"]);
  expect(JSON.stringify(built.modelMessages[2])).toContain("[§3: 499 characters left out]");
  expect(built.build.ledger.find(({ id }) => id === "h3")).toMatchObject({ fate: "masked", handle: "§3" });
});

test("[F7] then items with a priority go, the lowest first; those without one stay", async () => {
  const presetMessages = [
    { id: "pinned", role: "system" as const, content: words(10) },
    { id: "low", role: "system" as const, content: words(10), priority: 1 },
    { id: "high", role: "system" as const, content: words(10), priority: 2 },
  ];
  const built = await build([user("a"), say("b"), user("c")], 60, {
    preset: { presetMessages },
    config: { maxInputTokens: 60, targetRatio: 1 },
  });
  const steps = built.build.ledger.filter((row) => row.kind === "step").map((row) => [row.id, row.fate, row.rule]);
  expect(steps).toEqual([
    ["pinned", "kept", undefined],
    ["low", "dropped", "limit"],
    ["high", "kept", undefined],
  ]);
  expect(fates(built)).toEqual(["h1 kept", "h2 kept", "h3 kept"]);
});

test("[F7] last, the newest result is shrunk: head and tail stay", async () => {
  const value = `HEAD ${words(2000)} TAIL`;
  const built = await build([user("a"), call("1"), result("1", value)], 400);
  const text = JSON.stringify(built.modelMessages.at(-1));
  expect(built.stats.inputTokens).toBeLessThanOrEqual(400);
  expect(text).toMatch(/HEAD .*characters left out.* TAIL/);
  expect(fates(built).at(-1)).toBe("h3 shrunk");
  expect(built.stats.inputTokens).toBeGreaterThan(350);
});

test("[F8] a decision holds for many turns, so that the prefix stays as it is", async () => {
  const limits = manager(1000);
  const session: SessionEntry[] = [];
  let before: readonly ModelMessage[] = [];
  let broken = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const inputMessages = [user(`question ${turn} ${words(10)}`)];
    const { modelMessages, entriesToAppend } = await limits.buildContext({ sessionEntries: session, inputMessages });
    if (!before.every((message, index) => message === modelMessages[index])) broken += 1;
    before = modelMessages;
    const answer = entriesOf([say(`answer ${turn} ${words(10)}`)]).map((entry) => ({ ...entry, id: `answer-${turn}` }));
    session.push(...entriesToAppend, ...answer);
  }
  expect(broken).toBeGreaterThan(1);
  expect(broken).toBeLessThan(10);
});

const joining: Compactor = {
  id: "joining",
  compact: async ({ messages, previousSummary }) =>
    `${previousSummary ? `${previousSummary}, ` : ""}${messages.length} messages`,
};

test("[F7] beside a summary, a result that has to be shrunk makes room for what comes next", async () => {
  const work = [user(words(50)), say(words(50)), user("a"), call("1"), result("1", `HEAD ${words(2000)} TAIL`)];
  const sizeWith = async (more: { compactor?: Compactor }): Promise<number> => {
    const built = await build(work, 1000, more);
    expect(fates(built)).toContain("h5 shrunk");
    expect(JSON.stringify(built.modelMessages.at(-1))).toMatch(/HEAD .*characters left out.* TAIL/);
    return built.stats.inputTokens;
  };
  const [dropping, summarised] = [await sizeWith({}), await sizeWith({ compactor: joining })];
  expect(dropping).toBeGreaterThan(950);
  // The summary may cost 95 tokens here: it and half as much besides are free.
  expect(summarised).toBeLessThan(1000 - 95 * 1.5);
  expect(summarised).toBeGreaterThan(600);
});

test("[F9] a summary takes the place of what it stands for, and carries the one before it on", async () => {
  const limits = manager(300, { compactor: joining });
  const messages = Array.from({ length: 12 }, (_, index) =>
    index % 2 ? say(words(60, `a${index}`)) : user(words(60, `u${index}`)),
  );
  const first = await limits.buildContext({ sessionEntries: entriesOf(messages) });
  expect(first.compactionSummaryEntry).toMatchObject({
    summarisedBy: "joining",
    summary: expect.stringMatching(/^\d+ messages$/),
  });
  expect(textOf(first.modelMessages[0] as ModelMessage)).toMatch(/for reference only\]\n\d+ messages$/);
  expect(first.build.ledger.find((row) => row.kind === "earlier")).toMatchObject({ fate: "summarised" });
  const more = entriesOf(messages).map((entry) => ({ ...entry, id: `more-${entry.id}` }));
  const second = await limits.buildContext({
    sessionEntries: [...entriesOf(messages), ...first.entriesToAppend, ...more],
  });
  expect(second.compactionSummaryEntry?.summary).toMatch(/^\d+ messages, \d+ messages$/);
});

test("[F9] a compactor that hangs leaves the session as it is", async () => {
  const entries = entriesOf(Array.from({ length: 12 }, (_, index) => user(words(20, `u${index}`))));
  const before = JSON.stringify(entries);
  const hanging = manager(200, { compactor: { id: "hangs", compact: () => new Promise(() => {}) } });
  const first = await Promise.race([
    hanging.buildContext({ sessionEntries: entries }),
    Promise.resolve("still waiting"),
  ]);
  expect(first).toBe("still waiting");
  expect(JSON.stringify(entries)).toBe(before);
});

test("[F15] undoing a compaction brings everything back", async () => {
  const session = entriesOf(Array.from({ length: 10 }, (_, index) => user(words(20, `u${index}`))));
  const { entriesToAppend } = await manager(100).buildContext({ sessionEntries: session });
  const persisted = [...session, ...entriesToAppend];
  const undone = await manager(10_000).buildContext({ sessionEntries: [...persisted, undoCompaction(persisted)] });
  expect(undone.stats).toMatchObject({ messageCount: 10, droppedMessagesCount: 0 });
  expect(() => undoCompaction(session)).toThrow(expect.objectContaining({ code: "NotFound" }));
});

test("[C14] a frozen injection becomes an entry and stays before its neighbour; a floating one moves on", async () => {
  const at = (id: string, mode?: "frozen"): object => ({
    id,
    role: "system",
    content: id,
    injectionStrategy: { depth: 1, ...(mode ? { mode } : {}) },
  });
  const preset = { presetMessages: [at("frozen", "frozen"), at("floating")] } as ContextManagerInit["preset"];
  const first = await build([user("a"), user("b")], 1000, { preset });
  expect(first.modelMessages.map(textOf)).toEqual(["a", "frozen", "floating", "b"]);
  expect(first.entriesToAppend).toMatchObject([{ type: "injection", stepId: "frozen", beforeEntryId: "h2" }]);
  expect(first.build.stablePrefix).toBe(2);
  const more = entriesOf([say("c")]).map((entry) => ({ ...entry, id: "c" }));
  const next = await manager(1000, { preset }).buildContext({
    sessionEntries: [...entriesOf([user("a"), user("b")]), ...first.entriesToAppend, ...more],
  });
  expect(next.modelMessages.map(textOf)).toEqual(["a", "frozen", "b", "floating", "c"]);
});

test("[F7] one result of 5 MB and a thousand parallel calls are built", async () => {
  const large = await build([user("a"), call("1"), result("1", words(1_000_000))], 8000);
  expect(large.stats.inputTokens).toBeLessThanOrEqual(8000);
  const ids = Array.from({ length: 1000 }, (_, index) => `c${index}`);
  const parallel: ModelMessage = {
    role: "assistant",
    content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "t", input: {} })),
  };
  const built = await build([user("a"), parallel, ...ids.map((id) => result(id, words(100)))], 60_000);
  expect(built.stats.messageCount).toBe(1002);
});
