import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Compactor } from "@galley/engine";
import { expect, test } from "vitest";
import {
  activeFile,
  archiveOf,
  chatWith,
  codeOf,
  dataFolder,
  jsonLines,
  open,
  say,
  texts,
} from "../testing/temp-chat.ts";
import { doctor } from "../doctor/doctor.ts";
import { messageId } from "../lines/chat-line.ts";
import type { Chat } from "../chat.ts";

const dataOf = (chat: Chat): string => join(chat.folder, "../..");
const firstMessage = (chat: Chat): string => JSON.stringify(chat.entries()[0]);

test("[A7] a note is kept with the archive, shown in lists, found by search, and comes first when it is loaded", async () => {
  const compactor: Compactor = { id: "short", compact: () => Promise.resolve("a summary") };
  const chat = await chatWith(["plan the trip", "to Kyoto, then; say when you like to leave"], {
    settings: async () => ({ compactor }),
  });
  const note = "Flights are booked for 4 May; the hotel is still open.";
  const { contextId } = (await chat.newContext({ title: "Trip", note })).archived!;
  await expect.poll(() => chat.readContext(contextId)).toMatchObject({ note, summary: "a summary", messageCount: 2 });
  expect((await chat.listContexts()).contexts).toMatchObject([{ contextId, summaryPreview: note }]);
  await chat.newContext({ title: "Other", note: "Nothing about journeys." });
  expect(await chat.searchContexts("hotel")).toMatchObject([{ contextId }]);

  const { loaded } = await chat.loadContext({ query: "hotel" });
  expect(loaded).toMatchObject({ contextId, note, messageCount: 2 });
  expect(jsonLines(activeFile(chat))[0]).toMatchObject({ type: "recalled", note });
  expect(texts(chat)[0]).toBe("plan the trip");
  expect(chat.entries()[0]).toMatchObject({
    message: { content: expect.stringContaining(`put away:\n${note}`) as string },
  });
});

test("[A7] an archive may consist of a note alone, once for the same note", async () => {
  const chat = await open();
  const first = await chat.newContext({ note: "  Ask Ada about the keys.\nShe is back on Monday. " });
  expect(first).toMatchObject({
    archived: { title: "Ask Ada about the keys. She is back on Monday.", messageCount: 0 },
  });
  const again = await chat.newContext({ note: "Ask Ada about the keys.\nShe is back on Monday." });
  expect(again.archived).toEqual(first.archived);
  const { contextId } = first.archived!;
  const { loaded } = await chat.loadContext({ query: "Ada keys", mode: "summary" });
  expect(loaded).toMatchObject({ contextId, messageCount: 0, note: "Ask Ada about the keys.\nShe is back on Monday." });
  expect(firstMessage(chat)).toContain("back on Monday");
  expect(await doctor(dataOf(chat))).toMatchObject([{ findings: [] }]);
});

test("[A7] a topic that was loaded and gets a new note stays one archive, which keeps the note before", async () => {
  const chat = await open();
  const { contextId } = (await chat.newContext({ title: "Taxes", note: "Form A is filled in." })).archived!;
  await chat.newContext({ title: "Garden", note: "Plant beans." });
  await chat.loadContext({ contextId });
  expect((await chat.newContext({ title: " taxes", note: "Form B as well." })).archived).toMatchObject({ contextId });
  expect(chat.readContext(contextId)).toMatchObject({
    note: "Form B as well.",
    earlierNotes: ["Form A is filled in."],
  });
  expect((await chat.listContexts()).contexts.map(({ title }) => title.trim())).toEqual(["taxes", "Garden"]);
  expect(await chat.searchContexts("Form A")).toMatchObject([{ contextId }]);
  // Another title is another subject, and the topic that was loaded stays as it is.
  await chat.loadContext({ contextId });
  const other = (await chat.newContext({ title: "Insurance", note: "Call them." })).archived!;
  expect(other.contextId).not.toBe(contextId);
  expect(chat.readContext(contextId).note).toBe("Form B as well.");
});

test("[A7] a note can be given for an archive that is not active, and leaves the active context alone", async () => {
  const chat = await chatWith(["hello", "hi"]);
  const { contextId } = (await chat.newContext({ title: "Greeting" })).archived!;
  await say(chat, ["and now", "what?"]);
  expect(await chat.newContext({ contextId, note: "We said hello." })).toMatchObject({
    archived: { contextId },
    kept: 2,
  });
  expect(chat.readContext(contextId)).toMatchObject({ note: "We said hello.", messageCount: 2, title: "Greeting" });
  expect(texts(chat)).toEqual(["and now", "what?"]);
});

test("[A7] what was said after a topic was loaded keeps its note, and a new one takes its place", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext({ title: "T", note: "one" })).archived!;
  await chat.loadContext({ contextId });
  await say(chat, ["c", "d"]);
  await chat.newContext();
  expect(chat.readContext(contextId)).toMatchObject({ note: "one", messageCount: 4, title: "T" });
  await chat.loadContext({ contextId, mode: "recent" });
  await say(chat, ["e", "f"]);
  await chat.newContext({ note: "two" });
  expect(chat.readContext(contextId)).toMatchObject({ note: "two", earlierNotes: ["one"], messageCount: 6 });
});

test("[A7, M7] a note goes with the message that it may repeat, from the active context, archives and the disk", async () => {
  const many = Array.from({ length: 14 }, (_, index) => `line ${index}`);
  const chat = await chatWith(["hunter2 is the word", "ok", ...many]);
  const [secret] = chat.window().messages;
  const { contextId } = (await chat.newContext({ title: "Words", note: "the word is hunter2" })).archived!;
  await chat.loadContext({ contextId, mode: "recent" });
  await say(chat, ["go on", "yes"]);
  const carried = (await chat.newContext({ note: "still hunter2" })).archived!.contextId;
  await chat.loadContext({ contextId, mode: "recent" });
  expect(firstMessage(chat)).toContain("hunter2");
  await chat.redact(messageId(secret!));
  const shown = async (): Promise<string> =>
    JSON.stringify([
      chat.entries(),
      (await chat.listContexts()).contexts,
      chat.readContext(contextId),
      chat.readContext(carried),
    ]);
  expect(await shown()).not.toContain("hunter2");
  expect(await chat.searchContexts("hunter2")).toEqual([]);
  await doctor(dataOf(chat), { purge: true });
  for (const file of [activeFile(chat), archiveOf(chat, contextId), archiveOf(chat, carried)])
    expect(readFileSync(file, "utf8")).not.toContain("hunter2");
  // What is written after the redaction cannot repeat it, and stays.
  await chat.loadContext({ contextId });
  await chat.newContext({ note: "a word that is gone" });
  expect(JSON.stringify((await chat.listContexts()).contexts)).toContain("a word that is gone");
});

test("[A7, P6] a note is checked, and secrets never reach it", async () => {
  const chat = await open(dataFolder(), "demo", { secrets: { key: "sk-very-secret" } });
  expect(await codeOf(() => chat.newContext({ note: "x".repeat(20_001) }))).toBe("ContextInvalidInput");
  expect(await codeOf(() => chat.newContext({ note: 7 as never }))).toBe("ContextInvalidInput");
  expect(await codeOf(() => chat.newContext({ notes: "x" } as never))).toBe("ContextInvalidInput");
  expect(await codeOf(() => chat.newContext({ contextId: "../x", note: "y" }))).toBe("ContextInvalidInput");
  expect(await codeOf(() => chat.newContext({ contextId: "c_20260101_none", note: "y" }))).toBe("NotFound");
  expect((await chat.newContext({ note: "  \n " })).archived).toBeUndefined();
  const { contextId } = (await chat.newContext({ title: "Keys", note: "it is sk-very-secret" })).archived!;
  expect(await codeOf(() => chat.newContext({ contextId }))).toBe("ContextInvalidInput");
  expect(readFileSync(archiveOf(chat, contextId), "utf8")).not.toContain("sk-very-secret");
  await chat.deleteContext(contextId, contextId);
  expect(await chat.searchContexts("keys")).toEqual([]);
});
