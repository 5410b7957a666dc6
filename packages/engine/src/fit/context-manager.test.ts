import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf, textOf } from "../model/history.test-support.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { Compactor } from "./compactor.ts";
import {
  type ContextBuildInput,
  type ContextBuildResult,
  ContextManager,
  type ContextManagerInit,
} from "./context-manager.ts";
import { quarter } from "./fit.test-support.ts";
import { undoCompaction } from "./undo-compaction.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const say = (content: string): ModelMessage => ({ role: "assistant", content });
const call = (id: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "read", input: {} }],
});
const result = (id: string, value: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value } }],
});
const words = (count: number, word = "word"): string => `${word} `.repeat(count).trim();

function manager(maxInputTokens: number, more: Partial<ContextManagerInit> = {}): ContextManager {
  const config = { maxInputTokens, ...more.config };
  return new ContextManager({ tokenizer: quarter, ...more, config });
}
const build = (
  messages: ModelMessage[],
  maxInputTokens = 10_000,
  more: Partial<ContextManagerInit> = {},
  input: Partial<ContextBuildInput> = {},
): Promise<ContextBuildResult> =>
  manager(maxInputTokens, more).buildContext({ sessionEntries: entriesOf(messages), ...input });
const fates = ({ build: { ledger } }: ContextBuildResult): string[] =>
  ledger.filter((row) => row.kind === "message").map((row) => `${row.id} ${row.fate}`);

test("[F1] an empty session is built from the input messages alone", async () => {
  const { modelMessages, stats, compacted, entriesToAppend } = await manager(1000, { systemPrompt: "S" }).buildContext({
    sessionEntries: [],
    inputMessages: [user("hi")],
    now: "2026-01-01T00:00:00Z",
  });
  expect(modelMessages).toEqual([{ role: "system", content: "S" }, user("hi")]);
  expect(stats).toMatchObject({ messageCount: 2, droppedMessagesCount: 0 });
  expect(compacted).toBe(false);
  expect(entriesToAppend).toMatchObject([{ type: "message", ts: "2026-01-01T00:00:00Z", message: user("hi") }]);
});

test("[F1] the input's system prompt, preset and model stand before the configured ones", async () => {
  const preset = { presetMessages: [{ role: "user" as const, content: "for {{model}}" }] };
  const configured = { systemPrompt: "configured", model: "a", preset: { presetMessages: [] } };
  const { modelMessages } = await build([], 1000, configured, { systemPrompt: "own", model: "b", preset });
  expect(modelMessages.map(textOf)).toEqual(["own", "for b"]);
});

test.each([
  ["maxInputTokens", 0],
  ["maxInputTokens", -5],
  ["maxInputTokens", Number.NaN],
  ["maxInputTokens", 1.5],
  ["maxHistoryMessages", 0],
  ["reserveOutputTokens", 100],
  ["targetRatio", 0],
  ["targetRatio", 2],
])("[F1] a config whose %s is %s is refused with its path", (field, value) => {
  const config = { maxInputTokens: 100, [field]: value };
  expect(() => new ContextManager({ config, tokenizer: quarter })).toThrow(
    expect.objectContaining({ code: "ContextInvalidInput", path: `config.${field}` }),
  );
});

test.each<[string, object, string]>([
  ["sessionEntries that are no list", { sessionEntries: {} }, "sessionEntries"],
  ["an entry without an id", { sessionEntries: [{ ts: 0, type: "custom" }] }, "sessionEntries[0].id"],
  ["a message without a role", { sessionEntries: [], inputMessages: [{ content: "x" }] }, "inputMessages[0].role"],
])("[F1] %s are refused with their path", async (_, input, path) => {
  await expect(manager(100).buildContext(input as ContextBuildInput)).rejects.toMatchObject({
    code: "ContextInvalidInput",
    path,
  });
});

test("[F3] empty messages and orphan results are left out, unanswered calls are answered, and the ledger says so", async () => {
  const messages = [user("a"), say(" "), result("x", "orphan"), call("lost"), user("b")];
  const built = await build(messages);
  expect(built.modelMessages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(built.modelMessages[2])).toContain("no result was recorded");
  const rules = built.build.ledger.flatMap((row) => (row.rule ? [`${row.id} ${row.rule}`] : []));
  expect(rules).toEqual(["h2 empty", "h3 orphan"]);
  expect(built.build.ledger.find((row) => row.id === "h4:missing-result")).toMatchObject({ kind: "generated" });
});

test("[F3] duplicates count once; unknown types and entries out of order do no harm", async () => {
  const [a, b] = entriesOf([user("a"), say("b")]) as [SessionEntry, SessionEntry];
  const odd = { id: "odd", ts: 9, type: "from-the-future" } as unknown as SessionEntry;
  const built = await manager(1000).buildContext({ sessionEntries: [a, odd, b, a] });
  expect(built.modelMessages).toEqual([user("a"), say("b")]);
  expect(built.build.ledger.filter((row) => row.rule === "duplicate")).toHaveLength(1);
});

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

test("[F7] old tool results are masked first: the call stays, the result becomes a note with its size", async () => {
  const built = await build([user("a"), call("1"), result("1", words(100)), say("b"), user("c")], 120, {
    config: { maxInputTokens: 120, targetRatio: 0.9 },
  });
  expect(fates(built)).toEqual(["h1 kept", "h2 kept", "h3 masked", "h4 kept", "h5 kept"]);
  expect(JSON.stringify(built.modelMessages[2])).toContain("[result left out: 499 characters]");
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
  let session: SessionEntry[] = [];
  let before: readonly ModelMessage[] = [];
  let broken = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const inputMessages = [user(`question ${turn} ${words(10)}`)];
    const { modelMessages, entriesToAppend } = await limits.buildContext({ sessionEntries: session, inputMessages });
    if (!before.every((message, index) => message === modelMessages[index])) broken += 1;
    before = modelMessages;
    const answer = entriesOf([say(`answer ${turn} ${words(10)}`)]).map((entry) => ({ ...entry, id: `answer-${turn}` }));
    session = [...session, ...entriesToAppend, ...answer];
  }
  expect(broken).toBeGreaterThan(1);
  expect(broken).toBeLessThan(10);
});

const joining: Compactor = {
  id: "joining",
  compact: async ({ messages, previousSummary }) =>
    `${previousSummary ? `${previousSummary}, ` : ""}${messages.length} messages`,
};

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

test("[F10] updates append and compact, and do not count a tail twice", async () => {
  const limits = manager(300);
  const session = entriesOf(Array.from({ length: 10 }, (_, index) => user(words(5, `u${index}`))));
  const small = await limits.computeContextUpdates({ sessionEntries: session, newMessages: [say("ok")] });
  expect(small).toMatchObject({ compacted: false, entriesToAppend: [{ type: "message" }] });
  expect(small.updatedMessages).toBeUndefined();
  const persisted = [...session, ...small.entriesToAppend];
  const again = await limits.computeContextUpdates({ sessionEntries: persisted, newMessages: [say("ok")] });
  expect(again.entriesToAppend).toEqual([]);
  expect(again.stats).toEqual(small.stats);
  const hinted = await limits.computeContextUpdates({ sessionEntries: persisted, overflowHint: true });
  expect(hinted.compacted).toBe(true);
  expect(hinted.stats.inputTokens).toBeLessThanOrEqual(small.stats.inputTokens / 2);
});

test("[F11] runtime data stands behind the system prompt, keys sorted, and stays the same within a session", async () => {
  const init = { runtimeInitData: { os: "linux", cwd: "/w" } };
  const first = await build([user("a")], 1000, { systemPrompt: "S" }, init);
  expect(first.modelMessages.map(textOf)).toEqual(["S", "Environment of this session:\ncwd: /w\nos: linux", "a"]);
  const session = [...entriesOf([user("a")]), ...first.entriesToAppend];
  const again = await manager(1000, { systemPrompt: "S" }).buildContext({ sessionEntries: session });
  expect(again.modelMessages).toEqual(first.modelMessages);
  const changed = { sessionEntries: session, runtimeInitData: { os: "mac" } };
  await expect(manager(1000).buildContext(changed)).rejects.toMatchObject({
    code: "ContextInvalidInput",
    path: "runtimeInitData",
  });
  const allowed = await manager(1000).buildContext({ ...changed, allowRuntimeInitChange: true });
  expect(textOf(allowed.modelMessages[0] as ModelMessage)).toContain("os: mac");
});

test("[F11] hints are one message before the last user message, behind depth-1 injections; the input's win", async () => {
  const preset = { presetMessages: [{ role: "system" as const, content: "depth", injectionStrategy: { depth: 1 } }] };
  const init = { preset, runtimeHintProvider: () => ({ locale: "de", time: "9:00" }) };
  const messages = [user("a"), say("b"), user("c")];
  const built = await build(messages, 1000, init, { runtimeHints: { time: "10:00" } });
  expect(built.modelMessages.map(textOf)).toEqual(["a", "b", "depth", "At this moment:\nlocale: de\ntime: 10:00", "c"]);
  const running = await build([...messages, call("1"), result("1", "r")], 1000, {
    runtimeHintProvider: () => ({ x: 1 }),
  });
  expect(running.modelMessages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "system",
    "user",
    "assistant",
    "tool",
  ]);
});

test("[F12] tools pass through in the given order and are counted", async () => {
  const toolSpecs = ["b", "a"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const without = await build([user("a")]);
  const built = await build([user("a")], 1000, {}, { toolSpecs });
  expect(built.modelToolSpecs).toEqual(toolSpecs);
  expect(built.stats.inputTokens).toBeGreaterThan(without.stats.inputTokens);
});

test("[F14] only what the compaction in force reaches is read", async () => {
  const old = entriesOf([user("never looked at")]).map((entry) => {
    return Object.defineProperty({ ...entry, id: "old" }, "message", {
      get: () => {
        throw new Error("read");
      },
    });
  });
  const compaction: SessionEntry = {
    id: "c",
    ts: 0,
    type: "compaction",
    firstKeptEntryId: "h1",
    dropped: { count: 1, tokens: 4 },
  };
  const session = [
    ...old,
    ...entriesOf([user("a")]),
    compaction,
    ...entriesOf([say("b")]).map((entry) => ({ ...entry, id: "b" })),
  ];
  const built = await manager(1000).buildContext({ sessionEntries: session });
  expect(built.modelMessages).toEqual([user("a"), say("b")]);
  expect(built.stats.droppedMessagesCount).toBe(1);
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

test("[F4] a tokenizer that throws is a typed error", async () => {
  const tokenizer = {
    ...quarter,
    count: (): number => {
      throw new Error("no");
    },
  };
  await expect(build([user("a")], 100, { tokenizer })).rejects.toMatchObject({ code: "TokenizerFailed" });
});

test("estimateTokens is the account that the build uses", async () => {
  const limits = manager(1000);
  const { modelMessages, stats } = await limits.buildContext({ sessionEntries: entriesOf([user("a"), say("b")]) });
  expect(limits.estimateTokens(modelMessages)).toBe(stats.inputTokens);
});
