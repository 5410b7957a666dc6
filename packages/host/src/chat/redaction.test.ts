import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Compactor, ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import {
  activeFile,
  archiveOf,
  chatWith,
  dataFolder,
  jsonLines,
  open,
  say,
  texts,
  transcriptFile,
} from "./testing/temp-chat.ts";
import { messageId } from "./lines/chat-line.ts";
import type { Chat } from "./chat.ts";
import { doctor } from "./doctor/doctor.ts";
import { formatRedaction } from "./lines/redactions.ts";

const dataOf = (chat: Chat): string => join(chat.folder, "../..");

const talk = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `We decided to use plan ${index} because the budget is ${index}00 euros.`,
  );

/** All that a chat shows of itself. */
async function shown(chat: Chat): Promise<string> {
  const { contexts } = await chat.listContexts();
  return JSON.stringify([
    chat.entries(),
    chat.transcript(),
    contexts,
    contexts.map(({ contextId }) => chat.readContext(contextId)),
  ]);
}

test("[M7] a summary that was recalled goes with what it repeats, from the active context and from archives", async () => {
  const compactor: Compactor = { id: "parrot", compact: () => Promise.resolve("they said hunter2") };
  const chat = await chatWith(["hunter2 is the word", ...talk(9)], { settings: async () => ({ compactor }) });
  const [secret] = chat.window().messages;
  const { contextId } = (await chat.newContext({ title: "Words" })).archived!;
  await expect.poll(() => chat.readContext(contextId).summary).toBe("they said hunter2");
  await chat.loadContext({ contextId, mode: "summary" });
  expect(texts(chat)).toEqual(["they said hunter2"]);
  await say(chat, ["go on", "with what?"]);
  const grown = (await chat.newContext({ title: "More" })).archived!.contextId;
  await chat.loadContext({ contextId, mode: "summary" });
  await say(chat, ["and here", "yes"]);
  await chat.redact(messageId(secret!));
  expect(texts(chat)).toEqual(["and here", "yes"]);
  expect(chat.readContext(grown)).toMatchObject({ messageCount: 11 });
  expect(await shown(chat)).not.toContain("hunter2");
  await doctor(dataOf(chat), { purge: true });
  for (const file of [activeFile(chat), transcriptFile(chat), archiveOf(chat, grown), archiveOf(chat, contextId)])
    expect(readFileSync(file, "utf8")).not.toContain("hunter2");
  expect(await shown(chat)).not.toContain("hunter2");
});

test("[M7] a title goes with the message that it was taken from, wherever it was carried", async () => {
  const chat = await chatWith(["first", "ok", "hunter2 is the word", ...talk(21)]);
  const [first, , secret] = chat.window().messages;
  await chat.redact(messageId(first!));
  const { contextId } = (await chat.newContext()).archived!;
  expect(chat.readContext(contextId).title).toBe("hunter2 is the word");
  await chat.loadContext({ contextId, mode: "recent" });
  await say(chat, ["go on", "with what?"]);
  await chat.newContext();
  await chat.redact(messageId(secret!));
  expect(await shown(chat)).not.toContain("hunter2");
  expect(readFileSync(join(chat.folder, "contexts/index.json"), "utf8")).not.toContain("hunter2");
});

test("[M7] a clock that was set back neither shows old summaries nor hides new ones", async () => {
  let time = 2_000_000_000_000;
  const folder = dataFolder();
  const before = await open(folder, "demo", { now: () => time });
  await say(before, ["hunter2", "b"]);
  const [secret] = before.window().messages;
  const compaction = { ts: 0, type: "compaction", firstKeptEntryId: null } as const;
  await before.recordDecision({ ...compaction, id: "k1", summary: "they said hunter2" });
  time -= 1_000_000_000;
  const chat = await open(folder, "demo", { now: () => time });
  await chat.redact(messageId(secret!));
  expect(JSON.stringify(chat.entries())).not.toContain("hunter2");
  await chat.recordDecision({ ...compaction, id: "k2", summary: "they talked" });
  expect(chat.window().decisions.map(({ line }) => line.entry.id)).toEqual(["k2"]);
});

test("[M7] a summary that comes after a redaction and a purge is not kept", async () => {
  const chat = await open(dataFolder(), "demo", {
    settings: async () => ({ compactor }),
  });
  const compactor: Compactor = {
    id: "slow",
    async compact() {
      const [secret] = chat.transcript().messages;
      await chat.redact(messageId(secret!));
      await doctor(dataOf(chat), { purge: true });
      return "they said hunter2";
    },
  };
  await say(chat, ["hunter2 is the word", ...talk(3)]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.close();
  expect(readFileSync(archiveOf(chat, contextId), "utf8")).not.toContain("hunter2");
});

test("[M7] a message is redacted and found although another archive cannot be read", async () => {
  const chat = await chatWith(["hunter2", "b"]);
  const [secret] = chat.window().messages;
  await chat.newContext();
  writeFileSync(transcriptFile(chat), "");
  writeFileSync(archiveOf(chat, "c_20200101_bad"), "{");
  await chat.redact(messageId(secret!));
  expect(await shown(chat)).not.toContain("hunter2");
});

test("[M7] purge goes on past an archive that cannot be read, and keeps the files that it names", async () => {
  const chat = await chatWith(["hunter2", "b"]);
  const [secret] = chat.window().messages;
  const picture = (text: string): ModelMessage => ({
    role: "user",
    content: [{ type: "image", image: Buffer.from(text) }],
  });
  await chat.append([picture("one")]);
  await chat.append([{ role: "assistant", content: "c" }]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.append([picture("two")]);
  writeFileSync(transcriptFile(chat), "");
  const damaged = `{${readFileSync(archiveOf(chat, contextId), "utf8")}`;
  writeFileSync(archiveOf(chat, contextId), damaged);
  writeFileSync(activeFile(chat), `{${readFileSync(activeFile(chat), "utf8")}`);
  writeFileSync(join(chat.folder, "files/0.png"), "unused");
  writeFileSync(join(chat.folder, "conversations/redactions.jsonl"), formatRedaction(messageId(secret!), 1));
  const [health] = await doctor(dataOf(chat), { purge: true });
  expect(health?.left.map(({ kind }) => kind)).toEqual(["line", "archive"]);
  expect(readFileSync(archiveOf(chat, contextId), "utf8")).toBe(damaged);
  expect(readdirSync(join(chat.folder, "files"))).toHaveLength(2);
});

test("[W4] what was recalled is put away when its archive is gone or damaged since", async () => {
  for (const harm of [
    (chat: Chat, id: string) => chat.deleteContext(id, id),
    async (chat: Chat, id: string) => writeFileSync(archiveOf(chat, id), "{"),
  ]) {
    const chat = await chatWith(["a", "b"]);
    const { contextId } = (await chat.newContext()).archived!;
    await chat.loadContext({ contextId });
    await harm(chat, contextId);
    const { archived } = await chat.newContext();
    expect(archived).toMatchObject({ messageCount: 2 });
    expect(existsSync(archiveOf(chat, archived!.contextId))).toBe(true);
  }
});

test("[V5] a line of a kind that is not known is skipped and goes into the archive and back as it was", async () => {
  const chat = await chatWith(["a", "b"]);
  const [first] = chat.entries();
  const unknown = { v: 1, ts: 5, type: "mood", mood: "calm", of: { entry: first?.id } };
  appendFileSync(activeFile(chat), `${JSON.stringify(unknown)}\n`);
  await say(chat, ["c", "d"]);
  const { archived } = await chat.newContext({ title: "letters" });
  expect(archived).toMatchObject({ messageCount: 4 });
  expect(readFileSync(archiveOf(chat, archived?.contextId ?? ""), "utf8")).toContain(JSON.stringify(unknown));
  await say(chat, ["e", "f"]);
  await chat.loadContext({ contextId: archived?.contextId ?? "", mode: "full" });
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
  expect(jsonLines(activeFile(chat))).toContainEqual(unknown);
  // What a newer version says of a message goes with it.
  await chat.redact(first?.id ?? "");
  await doctor(dataOf(chat), { purge: true });
  expect(readFileSync(activeFile(chat), "utf8")).not.toContain("calm");
});
