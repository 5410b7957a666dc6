import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  activeFile,
  codeOf,
  archiveOf,
  chatWith,
  dataFolder,
  jsonLines,
  open,
  say,
  texts,
  transcriptFile,
  user,
} from "../testing/temp-chat.ts";
import { messageId } from "../lines/chat-line.ts";
import type { Chat } from "../chat.ts";
import { type ChatHealth, doctor } from "./doctor.ts";

/** What doctor says of the only chat. */
async function examine(...args: Parameters<typeof doctor>): Promise<ChatHealth> {
  const [health] = await doctor(...args);
  return health!;
}

const dataOf = (chat: Chat): string => join(chat.folder, "../..");

test("[W10] doctor finds nothing in a sound chat", async () => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext();
  expect(await doctor(dataOf(chat))).toEqual([{ chatKey: "demo", findings: [], left: [], purged: 0 }]);
  expect(await doctor(dataFolder())).toEqual([]);
});

test("[W10] doctor names settings that cannot be read; --fix moves them to quarantine", async () => {
  const chat = await chatWith(["a"]);
  const file = join(chat.folder, "settings.json");
  writeFileSync(file, "{torn");
  const { findings, left } = await examine(dataOf(chat), { fix: true });
  expect(findings).toMatchObject([{ code: "DataDamaged", path: file }]);
  expect([left, existsSync(file), readdirSync(join(chat.folder, "quarantine")).length]).toEqual([[], false, 1]);
  mkdirSync(file);
  expect((await examine(dataOf(chat), { fix: true })).left).toMatchObject([{ code: "UnsafePath", path: file }]);
});

test("[W10] doctor names a chat that a newer Galley has written, and leaves it as it is", async () => {
  const chat = await chatWith(["a"]);
  const file = join(chat.folder, "chat.json");
  const text = JSON.stringify({ v: 2, key: "demo" });
  writeFileSync(file, text);
  expect((await examine(dataOf(chat), { fix: true })).left).toMatchObject([{ code: "DataNewer", path: file }]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("[W10] doctor names damaged lines; --fix quarantines them and loses nothing else", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  for (const file of [activeFile(chat), transcriptFile(chat)]) {
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(
      file,
      [lines[0], "{garbage", lines[1], lines[2], '{"v":1,"role":"system","ts":1,"content":""}', lines[3], "{torn"].join(
        "\n",
      ),
    );
  }
  const { findings } = await examine(dataOf(chat));
  expect(findings.map(({ kind }) => kind)).toEqual(["line", "line", "torn", "line", "line", "torn"]);
  expect(findings[0]!.path).toBe(`${transcriptFile(chat)}:2`);
  expect(() => chat.window()).toThrow("line 5");
  const { left } = await examine(dataOf(chat), { fix: true });
  expect(left.map(({ kind }) => kind)).toEqual(["aside", "aside"]);
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
  const aside = readdirSync(join(chat.folder, "quarantine")).find((name) => name.endsWith("active.jsonl"));
  expect(readFileSync(join(chat.folder, "quarantine", aside!), "utf8")).toBe(
    '{garbage\n{"v":1,"role":"system","ts":1,"content":""}\n',
  );
  expect(readFileSync(`${activeFile(chat)}.torn`, "utf8")).toBe("{torn\n");
});

test("[W10, M7] doctor --fix ends a redaction whose line has no end, and sets half a one aside", async () => {
  const chat = await chatWith(["a", "b", "c"]);
  const [first, second] = chat.window().messages;
  await chat.redact(messageId(first!));
  await chat.redact(messageId(second!));
  const file = join(chat.folder, "conversations/redactions.jsonl");
  const whole = readFileSync(file, "utf8");
  await chat.close();
  writeFileSync(file, whole.slice(0, -1));
  expect((await examine(dataOf(chat), { fix: true })).left).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(whole);
  writeFileSync(file, whole.slice(0, -20));
  const { findings, left } = await examine(dataOf(chat), { fix: true });
  expect(findings.map(({ kind }) => kind)).toEqual(["torn"]);
  expect(left.map(({ kind }) => kind)).toEqual(["aside"]);
  expect(`${readFileSync(file, "utf8")}${readFileSync(`${file}.torn`, "utf8")}`).toBe(`${whole.slice(0, -20)}\n`);
});

test("[W10] doctor --fix moves damaged archives to quarantine and keeps the others", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  writeFileSync(archiveOf(chat, "c_20260101_bad"), "{");
  writeFileSync(join(chat.folder, "contexts/archive/notes.txt"), "mine");
  const { findings, left } = await examine(dataOf(chat), { fix: true });
  expect([findings.length, left.length]).toEqual([2, 0]);
  expect(readdirSync(join(chat.folder, "contexts/archive"))).toEqual([`${contextId}.json`]);
  expect(readdirSync(join(chat.folder, "quarantine"))).toHaveLength(2);
});

test("[W10] a recalled context that lost a line to quarantine still knows whether it has grown", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  writeFileSync(activeFile(chat), readFileSync(activeFile(chat), "utf8").replace(/\{[^\n]*"b"\}/, "{damaged"));
  await doctor(dataOf(chat), { fix: true });
  await say(chat, ["e", "f"]);
  expect((await chat.newContext()).archived).toMatchObject({ messageCount: 5 });
});

/** The files of a chat that hold a text. */
function filesWith(chat: Chat, text: string): string[] {
  return globSync("**/*", { cwd: chat.folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test("[M7] a redacted message leaves every window, archive, summary and search at once", async () => {
  const chat = await chatWith([
    "my password is hunter2 and it is important",
    "I will keep that",
    "what else",
    "nothing",
  ]);
  const [secret] = chat.window().messages;
  const { contextId } = (await chat.newContext()).archived!;
  await say(chat, ["other things", "fine"]);
  expect((await chat.loadContext({ query: "hunter2" })).loaded?.contextId).toBe(contextId);
  await chat.redact(messageId(secret!));
  for (const other of [chat, await open(dataOf(chat))]) {
    expect(texts(other)).toEqual(["I will keep that", "what else", "nothing"]);
    expect(other.transcript().messages).toHaveLength(5);
    expect(other.readContext(contextId)).toMatchObject({ title: "what else", messageCount: 3 });
    expect(other.readContext(contextId).summary).toBeUndefined();
    expect(JSON.stringify(await other.listContexts())).not.toContain("hunter2");
    expect((await other.loadContext({ query: "hunter2" })).loaded).toBeUndefined();
  }
});

test("[M7] doctor --purge removes the bytes of what was redacted, and nothing else", async () => {
  const chat = await open(dataFolder(), "demo");
  const [picture] = await chat.append([
    {
      role: "user",
      content: [
        { type: "text", text: "hunter2 on a picture" },
        { type: "image", image: Buffer.from("raw bytes of hunter2") },
      ],
    },
  ]);
  await chat.append([
    { role: "assistant", content: "ok" },
    user("my password is hunter2"),
    { role: "assistant", content: "noted" },
  ]);
  const secret = chat.window().messages[2]!;
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ query: "hunter2" });
  writeFileSync(`${activeFile(chat)}.torn`, '{"content":"hunter2');
  await chat.redact(messageId(picture!));
  await chat.redact(messageId(secret));
  expect(filesWith(chat, "hunter2").length).toBeGreaterThan(4);
  const { purged } = await examine(dataOf(chat), { purge: true });
  expect(purged).toBe(6);
  expect(filesWith(chat, "hunter2")).toEqual([]);
  expect(existsSync(`${activeFile(chat)}.torn`)).toBe(false);
  expect(readdirSync(join(chat.folder, "files"))).toEqual([]);
  expect(texts(chat)).toEqual(["ok", "noted"]);
  expect(chat.readContext(contextId).messages.map(({ content }) => content)).toEqual(["ok", "noted"]);
  expect(jsonLines(transcriptFile(chat))[0]).toEqual({
    v: 1,
    ts: expect.any(Number),
    type: "redacted",
    entryId: messageId(picture!),
  });
  expect((await chat.newContext()).archived).toBeUndefined();
});

test("[M7] a summary from before a redaction is not shown, whatever the window; one from after it is", async () => {
  const chat = await chatWith(["hunter2", "b", "c", "d"]);
  const [secret] = chat.window().messages;
  const compaction = { ts: 0, type: "compaction", firstKeptEntryId: null } as const;
  await chat.recordDecision({ ...compaction, id: "k1", summary: "they said hunter2" });
  await chat.redact(messageId(secret!));
  await chat.recordDecision({ ...compaction, id: "k2", summary: "they talked" });
  for (const maxMessages of [1, 200]) {
    expect(JSON.stringify(chat.entries({ maxMessages }))).not.toContain("hunter2");
    expect(chat.window({ maxMessages }).decisions.map(({ line }) => line.entry.id)).toEqual(["k2"]);
  }
  expect(await codeOf(() => chat.redact("m_typo"))).toBe("NotFound");
});

test("[M7] purge keeps what it cannot read, for --fix to find", async () => {
  const chat = await chatWith(["hunter2", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  const [secret] = chat.window().messages;
  const garbage = Buffer.from([0x7b, 0xff, 0xfe, 0x0a]);
  writeFileSync(activeFile(chat), Buffer.concat([readFileSync(activeFile(chat)), garbage]));
  await chat.redact(messageId(secret!));
  const { left } = await examine(dataOf(chat), { purge: true });
  expect(left).toMatchObject([{ kind: "line" }]);
  expect(readFileSync(activeFile(chat)).includes(garbage)).toBe(true);
});
