import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf, textOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { appendEntries } from "../model/session-log.ts";
import { type ContextBuildInput, ContextManager } from "./context-manager.ts";
import { build, call, manager, result, say, user, words } from "./testing/fit-builder.ts";
import { quarter } from "./testing/sessions.ts";
import type { InputMessage } from "./log/input-entries.ts";

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
  ["sessionEntries that are not a list", { sessionEntries: {} }, "sessionEntries"],
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

const said = (id: string, content: string): InputMessage => ({ role: "user", content, id });

test.each(["inputMessages", "newMessages"] as const)(
  "[F13] in %s, an id that says something else is refused",
  async (field) => {
    const { entries: sessionEntries } = appendEntries([], entriesOf([user("a"), say("b"), user("c"), say("d")]));
    const send = (messages: readonly InputMessage[]) =>
      field === "inputMessages"
        ? manager(1000).buildContext({ sessionEntries, inputMessages: messages })
        : manager(1000).computeContextUpdates({ sessionEntries, newMessages: messages });
    const cases: [InputMessage[], number][] = [
      [[said("h1", "not a")], 0],
      [[{ role: "assistant", content: "not d", id: "h4" }], 0],
      [[user("x"), said("h3", "not c")], 1],
      [[said("new", "x"), said("new", "y")], 1],
      [[{ role: "assistant", content: "d", id: "h4" }, said("h1", "not a")], 1],
    ];
    for (const [messages, at] of cases) {
      await expect(send(messages)).rejects.toMatchObject({
        code: "DuplicateId",
        path: `${field}[${at}].id`,
        hint: expect.any(String),
      });
    }
    for (const id of ["", 5 as unknown as string]) {
      await expect(send([user("x"), said(id, "y")])).rejects.toMatchObject({
        code: "ContextInvalidInput",
        path: `${field}[1].id`,
      });
    }
    // Wherever the id is taken: in front of what a compaction keeps, and, where the log begins behind it, in what it carries.
    const carried = entriesOf([user("a")]);
    const compaction: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "h3", carried };
    const whole = [...sessionEntries, compaction];
    const taken: [SessionEntry[], InputMessage][] = [
      [whole, said("h1", "not a")],
      [whole, said("h2", "not b")],
      [whole.slice(2), said("h1", "not a")],
    ];
    for (const [log, message] of taken) {
      const refused = manager(1000).buildContext({ sessionEntries: log, inputMessages: [message] });
      await expect(refused).rejects.toMatchObject({ code: "DuplicateId", path: "inputMessages[0].id" });
    }
    // A retry of what lies there is neither sent nor logged once more.
    const retried = await manager(1000).buildContext({
      sessionEntries: whole,
      inputMessages: [{ role: "assistant", content: "b", id: "h2" }],
    });
    expect(retried.modelMessages.map(({ content }) => content)).toEqual(["a", "c", "d"]);
    expect(retried.entriesToAppend).toEqual([]);
    // A retry adds nothing, wherever it stands; what is new beside it is added.
    const { entriesToAppend } = await send([said("h1", "a"), said("new", "x"), said("new", "x")]);
    expect(entriesToAppend.map((entry) => entry.id)).toEqual(["new"]);
  },
);

test.each<[string, object, string]>([
  ["an unknown option", { systemPromt: "x" }, "systemPromt"],
  ["an unknown limit", { config: { maxInputTokens: 100, maxTokens: 5 } }, "config.maxTokens"],
  [
    "a limit of the wrong type",
    { config: { maxInputTokens: 100, enableCompaction: "yes" } },
    "config.enableCompaction",
  ],
])("[T3] %s is refused with its path", (_, given, path) => {
  const init = { config: { maxInputTokens: 100 }, tokenizer: quarter, ...given } as ConstructorParameters<
    typeof ContextManager
  >[0];
  expect(() => new ContextManager(init)).toThrow(
    expect.objectContaining({ code: "ContextInvalidInput", path, hint: expect.any(String) }),
  );
});

test("[T3] a preset's limits and hints win over those of the manager, and the call's over the preset's", async () => {
  const manager = new ContextManager({
    config: { maxInputTokens: 1000, maxHistoryMessages: 50 },
    tokenizer: quarter,
    systemPrompt: "a",
  });
  const preset = {
    presetMessages: [{ id: "chat_history", type: "chat_history", role: "user" }],
    context: { maxHistoryMessages: 1, hints: { mood: "calm", sea: "low" }, systemPrompt: "b" },
  } as const;
  const inputMessages = ["one", "two", "three"].map((content) => ({ role: "user", content }) as const);
  const { modelMessages } = await manager.buildContext({
    sessionEntries: [],
    inputMessages,
    preset,
    runtimeHints: { sea: "high" },
  });
  expect(modelMessages.map(({ content }) => content)).toEqual(["b", "At this moment:\nmood: calm\nsea: high", "three"]);
});
