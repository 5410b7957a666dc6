import { expect, test } from "vitest";
import type { Preset } from "../compose/preset/preset.ts";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf, textOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "../tokens/account.ts";
import { build } from "./build.ts";
import type { BuildRequest } from "./window/build-request.ts";
import { manager, say, user, words } from "./testing/fit-builder.ts";
import { quarter } from "./testing/sessions.ts";
import { undoCompaction } from "./log/undo-compaction.ts";
import { view } from "./log/view.ts";

const request = (messages: ModelMessage[], more: Partial<BuildRequest> = {}): BuildRequest => ({
  entries: entriesOf(messages),
  config: { maxInputTokens: 100_000 },
  account: tokenAccount(quarter),
  ...more,
});
const texts = ({ messages }: { messages: readonly ModelMessage[] }): string[] => messages.map(textOf);

test("[F2] texts with very long tokens are counted, not guessed: what fits is sent", () => {
  const tokenizer = { id: "long", exactness: "exact" as const, count: (text: string) => Math.ceil(text.length / 100) };
  const messages = Array.from({ length: 20 }, () => user("=".repeat(4000)));
  const built = build(request(messages, { account: tokenAccount(tokenizer), config: { maxInputTokens: 1000 } }));
  expect(built.stats).toMatchObject({ messageCount: 20, inputTokens: 883 });
});

test("[P1] another recipe for the same history gives right positions", () => {
  const account = tokenAccount(quarter);
  const messages = Array.from({ length: 20 }, (_, index) => user(`m${index}`));
  const at = (depth: number): BuildRequest["preset"] => ({
    presetMessages: [{ role: "system", content: "x", injectionStrategy: { depth } }],
  });
  const first = request(messages, { account, preset: at(6) });
  build(first);
  const { ledger } = build({ ...first, preset: at(10) });
  const positions = ledger.flatMap((row) => row.position ?? []).sort((a, b) => a - b);
  expect(positions).toEqual(Array.from({ length: 21 }, (_, index) => index));
  expect(ledger.find((row) => row.id === "h11")?.position).toBe(11);
});

test("[M6] a build on another branch takes new messages in, and says what they follow", () => {
  const [a, b, c] = entriesOf([user("root"), say("B"), say("C")]) as [SessionEntry, SessionEntry, SessionEntry];
  const added = entriesOf([user("new")]).map((entry) => ({ ...entry, id: "new" }));
  const entries = [a, b, { ...c, parentId: "h1" }];
  const built = build(request([], { entries, leafId: "h2", added }));
  expect(texts(built)).toEqual(["root", "B", "new"]);
  expect(built.entriesToAppend).toMatchObject([{ id: "new", parentId: "h2" }]);
  expect(texts(build(request([], { entries: [...entries, ...built.entriesToAppend] })))).toEqual(["root", "B", "new"]);
});

test("[M7] redaction reaches injections, runtime data and summaries", () => {
  const entries: SessionEntry[] = [
    { id: "r", ts: 0, type: "runtime-init", data: { key: "secret" } },
    ...entriesOf([user("a")]),
    {
      id: "c",
      ts: 0,
      type: "compaction",
      firstKeptEntryId: "h1",
      summary: "secret",
      dropped: { count: 1, tokens: 1 },
      runtimeInit: {},
    },
    {
      id: "i",
      ts: 0,
      type: "injection",
      stepId: "s",
      beforeEntryId: "h1",
      message: { role: "system", content: "secret" },
    },
    { id: "x1", ts: 0, type: "redact", entryId: "c" },
    { id: "x2", ts: 0, type: "redact", entryId: "i" },
  ];
  expect(JSON.stringify(build(request([], { entries })).messages)).not.toContain("secret");
});

test("[F5] a hint that the input was too long never lets it exceed the limit", () => {
  const preset = { presetMessages: [], postProcessing: { forceAlternation: true } };
  const messages = Array.from({ length: 60 }, () => user("x"));
  const config = { maxInputTokens: 320, targetRatio: 0.95 };
  expect(build(request(messages, { preset, config, overflowHint: true })).stats.inputTokens).toBeLessThanOrEqual(320);
});

test("[F6] a placeholder that has to go leaves what is pinned to it", () => {
  const presetMessages = [
    { id: "world", type: "placeholder" as const, role: "system" as const, content: words(40), priority: 1 },
    { id: "rule", role: "system" as const, content: "RULE", injectionStrategy: { anchorTarget: "world" } },
  ];
  const built = build(request([user("a")], { preset: { presetMessages }, config: { maxInputTokens: 40 } }));
  expect(texts(built)).toEqual(["RULE", "a"]);
});

test("[F5] system messages of the history are not counted", () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "s1" },
    { role: "system", content: "s2" },
    user("a"),
    say("b"),
    user("c"),
  ];
  expect(build(request(messages, { config: { maxInputTokens: 1000, maxHistoryMessages: 3 } })).stats.messageCount).toBe(
    5,
  );
});

test("[F10] a tail that has other ids is not counted twice, and part of a retry adds the rest", async () => {
  const session = entriesOf([user("q"), say("a")]);
  const limits = manager(1000);
  expect(
    (await limits.computeContextUpdates({ sessionEntries: session, newMessages: [say("a")] })).entriesToAppend,
  ).toEqual([]);
  const rest = await limits.computeContextUpdates({ sessionEntries: session, newMessages: [say("a"), user("next")] });
  expect(rest.entriesToAppend).toMatchObject([{ message: user("next") }]);
});

test("[F11] updates know the hints too", async () => {
  const limits = manager(120, { runtimeHintProvider: () => ({ time: "9:00" }) });
  const session = entriesOf(Array.from({ length: 12 }, (_, index) => user(words(8, `u${index}`))));
  const { updatedMessages } = await limits.computeContextUpdates({ sessionEntries: session });
  expect(updatedMessages?.map(textOf).at(-2)).toContain("time: 9:00");
});

test("[F15] undoing twice goes back twice, and the runtime data stays", () => {
  const compaction = (id: string, firstKeptEntryId: string): SessionEntry => ({
    id,
    ts: 0,
    type: "compaction",
    firstKeptEntryId,
  });
  const [m1, m2, m3] = entriesOf([user("1"), user("2"), user("3")]) as [SessionEntry, SessionEntry, SessionEntry];
  const log: SessionEntry[] = [
    { id: "r", ts: 0, type: "runtime-init", data: { os: "x" } },
    m1,
    m2,
    m3,
    compaction("c1", "h2"),
    compaction("c2", "h3"),
  ];
  const sizes = [view(log).messages.length];
  for (let count = 0; count < 2; count += 1) {
    log.push(undoCompaction(log));
    sizes.push(view(log).messages.length);
  }
  expect(sizes).toEqual([1, 2, 3]);
  expect(view(log).runtimeInit).toEqual({ os: "x" });
  expect(() => undoCompaction(log)).toThrow(expect.objectContaining({ code: "NotFound" }));
});

test("the stable prefix ends where something stands that will move", () => {
  const after = { role: "user" as const, content: "after" };
  const presetMessages = [
    { role: "system" as const, content: "s" },
    { type: "chat_history" as const, role: "user" as const },
    after,
  ];
  expect(build(request([user("a"), say("b")], { preset: { presetMessages } })).stablePrefix).toBe(3);
  const atDepth = { role: "system" as const, content: "d", injectionStrategy: { depth: 1 } };
  const postProcessing = { mergeSystemToHead: true };
  const merged = build(
    request([user("a"), say("b")], {
      preset: { presetMessages: [...presetMessages.slice(0, 2), atDepth], postProcessing },
    }),
  );
  expect(merged.stablePrefix).toBe(0);
});

test("[C10] texts that quote the chat follow it from turn to turn, and end the prefix that stays", () => {
  const preset: Preset = {
    macros: "sillytavern",
    presetMessages: [
      { role: "system", content: "rules" },
      {
        role: "system",
        content: "{{setvar::said::{{lastUserMessage}}}}{{lastMessage}}/{{lastCharMessage}}/{{lastMessageId}}",
      },
      { role: "system", content: "{{getvar::said}}" },
      { role: "user", type: "chat_history" },
    ],
  };
  const log = [user("a"), say("b")];
  const base = request(log, { preset });
  const first = build(base);
  expect(first.messages.slice(0, 3).map((message) => message.content)).toEqual(["rules", "b/b/1", "a"]);
  expect(first.stablePrefix).toBe(1);
  expect(first.problems).toEqual([]);
  // The same account and preset: nothing of the turn before may stay.
  const added = entriesOf([...log, user("c")]).slice(2);
  const next = build({ ...base, entries: [...base.entries, ...added] });
  expect(next.messages.slice(0, 3).map((message) => message.content)).toEqual(["rules", "c/b/2", "c"]);
});

test("[C4] a preset whose anchors stand in a circle is refused by every way to build", async () => {
  const preset = {
    presetMessages: [
      { type: "chat_history" as const, role: "user" as const, injectionStrategy: { anchorTarget: "chat_history" } },
    ],
  };
  const cycle = { code: "AnchorCycle", path: "presetMessages[0].injectionStrategy" };
  const sessionEntries = entriesOf([user("a")]);
  expect(() => build(request([user("a")], { preset }))).toThrow(expect.objectContaining(cycle));
  await expect(manager(1000).buildContext({ sessionEntries, preset })).rejects.toMatchObject(cycle);
  await expect(manager(1000, { preset }).computeContextUpdates({ sessionEntries })).rejects.toMatchObject(cycle);
});
