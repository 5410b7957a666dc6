import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Chat } from "../chat.ts";
import { messageId } from "../lines/chat-line.ts";
import { activeFile, archiveOf, chatWith, dataFolder, open, say, texts } from "../testing/temp-chat.ts";

const contentsOf = (chat: Chat, contextId: string): unknown[] =>
  chat.readContext(contextId).messages.map(({ content }) => content);

const many = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `We decided to take plan ${index}, because the budget is ${index}00 euros.`,
  );

test("[A10] three round trips between two topics leave two archives, each with all that was said of it", async () => {
  const chat = await chatWith(["apples", "red ones"]);
  const apples = (await chat.newContext({ title: "Fruit" })).archived!.contextId;
  const { createdAt } = chat.readContext(apples);
  await say(chat, ["ships", "tall ones"]);
  const ships = (await chat.loadContext({ contextId: apples })).archived!.contextId;
  for (const trip of [1, 2, 3]) {
    await say(chat, [`apples again ${trip}`, "yes"]);
    expect((await chat.loadContext({ contextId: ships })).archived).toEqual({
      contextId: apples,
      title: "Fruit",
      messageCount: 2 + 2 * trip,
    });
    await say(chat, [`ships again ${trip}`, "aye"]);
    expect((await chat.loadContext({ contextId: apples })).archived?.contextId).toBe(ships);
  }
  const { contexts, total } = await chat.listContexts();
  expect([total, contexts.map(({ contextId }) => contextId).toSorted()]).toEqual([2, [apples, ships].toSorted()]);
  expect(contexts.flatMap(({ copies = [] }) => copies)).toEqual([]);
  expect(chat.readContext(apples)).toMatchObject({ createdAt, title: "Fruit", messageCount: 8 });
  expect(contentsOf(chat, ships)).toContain("ships again 3");
  expect(texts(chat)).toHaveLength(8);
});

test.each(["recent", "summary"] as const)("[A10] what was loaded as %s is continued in its archive", async (mode) => {
  const said = many(30);
  const chat = await chatWith(said);
  const { contextId } = (await chat.newContext({ title: "Long" })).archived!;
  const { loaded } = await chat.loadContext({ contextId, mode });
  expect(loaded?.mode).toBe(mode);
  await say(chat, ["and then?", "the end"]);
  expect((await chat.newContext()).archived).toEqual({ contextId, title: "Long", messageCount: 32 });
  expect(contentsOf(chat, contextId)).toEqual([...said, "and then?", "the end"]);
  expect((await chat.listContexts()).total).toBe(1);
});

test("[A10] a message that is edited in a loaded context goes on in its archive, in every mode", async () => {
  for (const mode of ["full", "recent"] as const) {
    const chat = await chatWith(many(20));
    const { contextId } = (await chat.newContext()).archived!;
    await chat.loadContext({ contextId, mode });
    const edited = chat.window().messages.find(({ content }) => content === many(9)[8])!;
    const last = chat.window().messages.at(-1)!;
    const active = [
      { ts: chat.nextTime(), message: { role: "user", content: "No: plan 80." } as const },
      { ts: chat.nextTime(), message: { role: "assistant", content: "answered again" } as const },
    ];
    await chat.commitExchange({ transcript: active, active, cutFrom: messageId(edited), cutTo: messageId(last) });
    await chat.newContext();
    expect(contentsOf(chat, contextId)).toEqual([...many(8), "No: plan 80.", "answered again"]);
  }
});

test("[A10] loading the topic that is active again puts its new version down and brings all of it back", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  await say(chat, ["c", "d"]);
  const { loaded, archived } = await chat.loadContext({ contextId });
  expect([loaded?.messageCount, archived?.contextId]).toEqual([4, contextId]);
  await say(chat, ["e", "f"]);
  await chat.newContext();
  expect(contentsOf(chat, contextId)).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test.each(["full", "recent", "summary"] as const)(
  "[A10, W10] a switch that was cut short behind the archive of a topic loaded as %s puts nothing down twice",
  async (mode) => {
    const chat = await chatWith(many(20));
    const { contextId } = (await chat.newContext()).archived!;
    await chat.loadContext({ contextId, mode });
    await say(chat, ["and then?", "the end"]);
    const before = readFileSync(activeFile(chat));
    await chat.newContext();
    // As a process leaves it that is killed before the active context is replaced.
    writeFileSync(activeFile(chat), before);
    await say(chat, ["really?", "really"]);
    await chat.newContext();
    expect(contentsOf(chat, contextId)).toEqual([...many(20), "and then?", "the end", "really?", "really"]);
    expect((await chat.listContexts()).total).toBe(1);
  },
);

test("[A10] a topic whose archive was deleted or damaged while it was active is put away whole", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  await chat.deleteContext(contextId, contextId);
  expect((await chat.newContext()).archived).toMatchObject({ contextId, messageCount: 2 });
  await chat.loadContext({ contextId });
  writeFileSync(archiveOf(chat, contextId), "{");
  const { archived } = await chat.newContext();
  expect(archived).toMatchObject({ messageCount: 2 });
  expect(archived?.contextId).not.toBe(contextId);
  expect(readFileSync(archiveOf(chat, contextId), "utf8")).toBe("{");
});

/** A chat of the version that left a copy each time that a topic was put away: three round trips, seven archives. */
async function chatWithCopies(): Promise<Chat> {
  const folder = dataFolder();
  const frozen = readFileSync(new URL("../fixtures/chat-with-copies.json", import.meta.url), "utf8");
  for (const [path, text] of Object.entries(JSON.parse(frozen) as Record<string, string>)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return open(folder, "topics");
}

test("[A10] copies that an earlier version has left are listed under their newest, and found once", async () => {
  const chat = await chatWithCopies();
  const { contexts, total } = await chat.listContexts();
  expect(total).toBe(2);
  expect(contexts.map(({ title, copies = [] }) => [title, copies.length])).toEqual([
    ["Bread", 3],
    ["Question 4 about sailing", 2],
  ]);
  const [bread] = contexts;
  expect(chat.readContext(bread!.contextId).messages.at(-1)?.content).toBe("40 minutes.");
  const found = await chat.searchContexts("bread");
  expect(found.map(({ contextId }) => contextId)).toEqual([bread!.contextId]);
  const { loaded, alternatives } = await chat.loadContext({ query: "rye sourdough" });
  expect([loaded?.contextId, alternatives]).toEqual([bread!.contextId, []]);
  // None of the copies is a match beside the topic that is active.
  expect((await chat.loadContext({ query: "rye sourdough" })).loaded).toBeUndefined();
  await say(chat, ["With seeds?", "With seeds."]);
  await chat.newContext();
  const after = await chat.listContexts();
  expect(after.contexts.find(({ title }) => title === "Bread")).toMatchObject({
    contextId: bread!.contextId,
    messageCount: 10,
  });
  expect(after.total).toBe(3);
  // A copy stays in reach by its id.
  expect(chat.readContext(bread!.copies![2]!).messageCount).toBe(2);
});
