import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { countFileCalls } from "../../../testing/count-file-calls.ts";
import {
  activeFile,
  archiveOf,
  assistant,
  chatWith,
  codeOf,
  dataFolder,
  jsonLines,
  open,
  say,
  texts,
  transcriptFile,
  user,
} from "../testing/temp-chat.ts";

test("[W2] a line holds version, time, role and content, in transcript and active context alike", async () => {
  const chat = await chatWith(["hello", "hi"]);
  const lines = jsonLines(activeFile(chat));
  expect(lines).toEqual([
    { v: 1, ts: expect.any(Number), role: "user", content: "hello" },
    { v: 1, ts: expect.any(Number), role: "assistant", content: "hi" },
  ]);
  expect(jsonLines(transcriptFile(chat))).toEqual(lines);
});

test("[W2] system and tool messages are refused, tool calls and reasoning are left out", async () => {
  const chat = await chatWith([]);
  expect(await codeOf(() => chat.append([{ role: "system", content: "secret rules" }]))).toBe("ContextInvalidInput");
  expect(await codeOf(() => chat.append([{ role: "tool", content: [] }]))).toBe("ContextInvalidInput");
  await chat.append([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hidden" },
        { type: "text", text: "seen" },
        { type: "tool-call", toolCallId: "1", toolName: "rm", input: {} },
      ],
    },
  ]);
  expect(texts(chat)).toEqual([[{ type: "text", text: "seen" }]]);
  expect(readFileSync(transcriptFile(chat), "utf8")).not.toMatch(/hidden|rm/);
});

test("[W2] what a build decided is a line that others skip", async () => {
  const chat = await chatWith(["a", "b"]);
  const [, second] = chat.entries();
  await chat.recordDecision({
    id: "k1",
    ts: 0,
    type: "compaction",
    firstKeptEntryId: second!.id,
    summary: "talked about a",
  });
  await say(chat, ["c", "d"]);
  expect(jsonLines(activeFile(chat))[2]).toMatchObject({ v: 1, type: "compaction", summary: "talked about a" });
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
  expect(chat.entries().map(({ type }) => type)).toEqual(["message", "message", "compaction", "message", "message"]);
  const { archived } = await chat.newContext();
  expect(chat.readContext(archived!.contextId).messages).toHaveLength(4);
});

test("[W3] new archives up to the last assistant message; what is unanswered stays", async () => {
  const chat = await chatWith(["plan a trip", "where to?", "to Kyoto", "fine", "unanswered"]);
  const { archived, kept } = await chat.newContext({ title: "Trip", reason: "another subject" });
  expect(archived).toMatchObject({ title: "Trip", messageCount: 4 });
  expect(kept).toBe(1);
  expect(texts(chat)).toEqual(["unanswered"]);
  const file = JSON.parse(readFileSync(archiveOf(chat, archived!.contextId), "utf8")) as Record<string, unknown>;
  expect(file).toMatchObject({
    v: 1,
    contextId: archived!.contextId,
    title: "Trip",
    status: "archived",
    archiveReason: "another subject",
    createdAt: expect.any(Number),
    archivedAt: expect.any(Number),
    messages: [
      { role: "user", content: "plan a trip" },
      { role: "assistant" },
      { role: "user" },
      { role: "assistant", content: "fine" },
    ],
  });
});

test.each([
  ["nothing", [], false, undefined, []],
  ["one message", ["a"], false, undefined, ["a"]],
  ["questions only", ["a", "b", "c"], false, ["a", "b"], ["c"]],
  ["questions only, in a run", ["a", "b", "c"], true, ["a", "b", "c"], []],
  ["one message, in a run", ["a"], true, ["a"], []],
] as const)("[W3] a context of %s loses nothing", async (_, said, isInRun, archivedTexts, kept) => {
  const chat = await open();
  for (const text of said) await chat.append([user(text)]);
  const { archived } = await chat.newContext({}, { isInRun });
  expect(archived && chat.readContext(archived.contextId).messages.map(({ content }) => content)).toEqual(
    archivedTexts,
  );
  expect(texts(chat)).toEqual(kept);
  expect(existsSync(activeFile(chat))).toBe(true);
});

test("[W3] without a title, the first user message names the archive", async () => {
  const chat = await open();
  await chat.append([assistant("Welcome"), user(`  修复跨轮\n\ncontext 保持 ${"很长".repeat(60)}`), assistant("ok")]);
  const { archived } = await chat.newContext();
  expect(archived!.title).toMatch(/^修复跨轮 context 保持 .*…$/);
  expect(archived!.title.length).toBeLessThanOrEqual(61);
});

test("[W4] load brings the best match back, puts the present context away, and names other matches", async () => {
  const chat = await chatWith(["how to bake bread", "with flour and yeast"]);
  const bread = (await chat.newContext()).archived!.contextId;
  await say(chat, ["旅行计划：去京都看红叶", "好的"]);
  await chat.newContext();
  await say(chat, ["bread and butter pudding", "use old bread"]);
  await chat.newContext();
  await say(chat, ["tax return", "which year?"]);
  const result = await chat.loadContext({ query: "bake bread yeast" });
  expect(result.loaded).toMatchObject({ contextId: bread, mode: "full", messageCount: 2 });
  expect(result.archived).toMatchObject({ title: "tax return", messageCount: 2 });
  expect(result.alternatives.map(({ title }) => title)).toContain("bread and butter pudding");
  expect(texts(chat)).toEqual(["how to bake bread", "with flour and yeast"]);
  expect((await chat.loadContext({ query: "京都" })).loaded?.title).toBe("旅行计划：去京都看红叶");
});

test("[W4] what is recalled is labelled as reference in front of the list, in every mode", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext({ title: "Old" })).archived!;
  for (const mode of ["full", "recent", "summary"] as const) {
    await chat.loadContext({ contextId, mode });
    const [notice, ...rest] = chat.entries();
    expect(notice).toMatchObject({ type: "message", message: { role: "assistant" } });
    expect(JSON.stringify(notice)).toMatch(/The following.*reference only.*contextId: c_.*mode: /);
    expect(rest).toHaveLength(2);
    expect(texts(chat)).toEqual(["a", "b"]);
  }
});

const longTalk = Array.from(
  { length: 30 },
  (_, index) => `We decided to use plan ${index} because the budget is ${index}00 euros.`,
);

test("[W4] recent takes the last twelve, summary the summary", async () => {
  const chat = await chatWith(longTalk);
  const { archived, problems } = await chat.newContext();
  expect(problems).toEqual([]);
  const { contextId } = archived!;
  const { summary } = chat.readContext(contextId);
  expect(summary).toMatch(/plan/);
  expect((await chat.listContexts()).contexts[0]?.summaryPreview).not.toBe("");
  expect((await chat.loadContext({ contextId, mode: "recent" })).loaded?.messageCount).toBe(12);
  expect(texts(chat)[0]).toContain("plan 18");
  await chat.loadContext({ contextId, mode: "summary" });
  expect(texts(chat)).toEqual([summary]);
});

test("[W4, A10] a context that was recalled and has not grown is left alone; one that has grown is a new version", async () => {
  const chat = await chatWith(["apples", "red ones"]);
  const apples = (await chat.newContext()).archived!.contextId;
  await say(chat, ["pears", "green ones"]);
  await chat.newContext();
  await chat.loadContext({ contextId: apples });
  expect((await chat.newContext()).archived).toBeUndefined();
  expect((await chat.listContexts()).total).toBe(2);
  await chat.loadContext({ contextId: apples });
  await say(chat, ["and yellow?", "too"]);
  expect((await chat.newContext()).archived).toMatchObject({ title: "apples", messageCount: 4 });
  expect((await chat.listContexts()).total).toBe(2);
  expect(chat.readContext(apples).messageCount).toBe(4);
});

test("[W4] the current context is not a candidate of its own search, and without a match nothing is switched", async () => {
  const chat = await chatWith(["zebra", "stripes"]);
  expect(await chat.loadContext({ query: "zebra" })).toMatchObject({ alternatives: [] });
  expect((await chat.listContexts()).total).toBe(0);
  const zebra = (await chat.newContext()).archived!.contextId;
  await chat.loadContext({ contextId: zebra });
  const before = readFileSync(activeFile(chat));
  expect((await chat.loadContext({ query: "zebra" })).loaded).toBeUndefined();
  expect((await chat.loadContext({ query: "giraffe" })).loaded).toBeUndefined();
  expect(readFileSync(activeFile(chat))).toEqual(before);
  await chat.loadContext({ contextId: zebra, mode: "recent" });
  expect((await chat.loadContext({ query: "zebra" })).loaded?.contextId).toBe(zebra);
});

test("[W4] a question that was asked before a load outside a run is carried over", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await say(chat, ["c", "d", "back to a?"]);
  await chat.loadContext({ contextId });
  expect(texts(chat)).toEqual(["a", "b", "back to a?"]);
});

test("[W4b] archives are renamed and deleted; deleting is asked for twice", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.renameContext(contextId, "Better");
  expect((await chat.listContexts()).contexts[0]?.title).toBe("Better");
  expect((await chat.loadContext({ query: "Better" })).loaded?.contextId).toBe(contextId);
  await chat.clearActive();
  expect(await codeOf(() => chat.deleteContext(contextId, ""))).toBe("BadUsage");
  await chat.deleteContext(contextId, contextId);
  expect((await chat.listContexts()).contexts).toEqual([]);
  expect((await chat.loadContext({ query: "Better" })).loaded).toBeUndefined();
  expect(await codeOf(() => chat.deleteContext(contextId, contextId))).toBe("NotFound");
});

test("[W4b] a chat is deleted whole, and begins again when it is written to", async () => {
  const folder = dataFolder();
  const chat = await open(folder);
  await say(chat, ["a", "b"]);
  const other = await open(folder);
  await say(other, ["c", "d"]);
  expect(await codeOf(() => chat.deleteChat("other"))).toBe("BadUsage");
  await chat.deleteChat("demo");
  expect(existsSync(chat.folder)).toBe(false);
  await say(other, ["e", "f"]);
  expect(texts(other)).toEqual(["e", "f"]);
});

test("[W5] the list is newest first, 20 unless said otherwise, at most 200", async () => {
  let now = 1_738_713_600_000;
  const chat = await open(dataFolder(), "demo", { now: () => (now += 1000) });
  for (let index = 0; index < 25; index += 1) {
    await say(chat, [`subject ${index}`, "ok"]);
    await chat.newContext();
  }
  const { contexts, total } = await chat.listContexts();
  expect([contexts.length, total]).toEqual([20, 25]);
  expect(contexts[0]).toEqual({
    contextId: expect.stringMatching(/^c_20250205_[0-9a-z]+$/),
    title: "subject 24",
    createdAt: expect.any(Number),
    archivedAt: expect.any(Number),
    messageCount: 2,
    summaryPreview: "",
  });
  expect((await chat.listContexts(200)).contexts).toHaveLength(25);
  for (const limit of [0, 201, 1.5, -1, NaN])
    expect(await codeOf(() => chat.listContexts(limit))).toBe("ContextInvalidInput");
});

test("[W6] clear empties the active context; the current question and the transcript stay", async () => {
  const chat = await chatWith(["a", "b", "c"]);
  const before = readFileSync(transcriptFile(chat));
  expect(await chat.clearActive()).toEqual({ removed: 2, kept: 1 });
  expect(texts(chat)).toEqual(["c"]);
  expect(await chat.clearActive({ isInRun: true })).toEqual({ removed: 1, kept: 0 });
  expect(texts(chat)).toEqual([]);
  expect(readFileSync(transcriptFile(chat))).toEqual(before);
  expect((await chat.listContexts()).total).toBe(0);
});

test("[W4] an archive that another program has laid out is read as well", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext({ title: "Ours" })).archived!;
  const file = archiveOf(chat, contextId);
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 2));
  await chat.loadContext({ contextId });
  expect(texts(chat)).toEqual(["a", "b"]);
  const theirs = "c_20260205_abcd";
  const messages = [{ ts: 1, role: "user", content: "plain" }];
  writeFileSync(
    archiveOf(chat, theirs),
    JSON.stringify({ contextId: theirs, status: "archived", archivedAt: 2, messages }),
  );
  expect((await chat.loadContext({ query: "plain" })).loaded).toMatchObject({ contextId: theirs, title: "plain" });
});

test("[W7] putting a context away looks at no other archive, however many there are", async () => {
  const calls = ["openSync", "lstatSync", "statSync", "readdirSync"] as const;
  const putAway = async (archives: number): Promise<number> => {
    const chat = await chatWith([]);
    for (let count = 0; count < archives; count += 1) {
      await say(chat, [`topic ${count}`, "yes"]);
      await chat.newContext();
    }
    await say(chat, ["the last topic", "yes"]);
    return countFileCalls(() => chat.newContext(), calls);
  };
  expect(await putAway(24)).toBe(await putAway(3));
});
