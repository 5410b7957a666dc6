import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { launcher } from "../../../../scripts/launcher.ts";
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
} from "./testing/temp-chat.ts";
import { messageId } from "./lines/chat-line.ts";
import type { Chat } from "./chat.ts";
import { doctor } from "./doctor/doctor.ts";
import { folderLock } from "../disk/folder-lock.ts";

const dataOf = (chat: Chat): string => join(chat.folder, "../..");
const kinds = async (...args: Parameters<typeof doctor>): Promise<string[]> =>
  (await doctor(...args)).flatMap(({ findings }) => findings.map(({ kind }) => kind));

test.each(["{}", '{"v":', '{"v":"1"}', ""])(
  "[E] a galley.json with %j is an error that says what to do",
  async (text) => {
    const chat = await chatWith(["a", "b"]);
    const file = join(dataOf(chat), "galley.json");
    writeFileSync(file, text);
    for (const work of [() => open(dataOf(chat)), () => doctor(dataOf(chat))])
      expect(await codeOf(work)).toBe("DataDamaged");
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test.each(["{}", "garbage", '{"v":1,"type":"redact","ts":1}'])(
  "[W10] a redaction %j that cannot be read stops all reading, and doctor --fix quarantines it",
  async (line) => {
    const chat = await chatWith(["hunter2", "b", "c", "d"]);
    const [secret] = chat.window().messages;
    await chat.redact(messageId(secret!));
    const file = join(chat.folder, "conversations/redactions.jsonl");
    writeFileSync(file, `${line}\n${readFileSync(file, "utf8")}`);
    expect(() => chat.window()).toThrow("redactions.jsonl, line 1");
    expect(await codeOf(() => chat.window())).toBe("DataDamaged");
    expect(await kinds(dataOf(chat))).toEqual(["line"]);
    const [health] = await doctor(dataOf(chat), { fix: true });
    expect([health?.left, health?.quarantine]).toEqual([[], join(chat.folder, "quarantine")]);
    expect(texts(chat)).toEqual(["b", "c", "d"]);
  },
);

test("[W10] the damaged first line of a recalled context is named, also when the window does not reach it", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  writeFileSync(activeFile(chat), readFileSync(activeFile(chat), "utf8").replace('"mode":"full"', '"mode":"odd"'));
  expect(() => chat.window({ maxMessages: 1 })).toThrow("line 1");
  expect(await codeOf(() => chat.window({ maxMessages: 1 }))).toBe("DataDamaged");
});

test("[W10] doctor rewrites a damaged chat.json where the folder's name tells the key", async () => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext();
  const about = join(chat.folder, "chat.json");
  writeFileSync(about, "{");
  expect(await kinds(dataOf(chat))).toEqual(["about"]);
  expect((await doctor(dataOf(chat), { fix: true }))[0]).toMatchObject({ chatKey: "demo", left: [] });
  expect(jsonLines(about)).toEqual([{ v: 1, key: "demo" }]);
  expect((await chat.listContexts()).total).toBe(1);
});

test("[W10] doctor touches nothing in a folder of which it cannot tell the chat", async () => {
  const chat = await open(dataFolder(), "k".repeat(500));
  await say(chat, ["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  writeFileSync(join(chat.folder, "chat.json"), "{}");
  const [health] = await doctor(dataOf(chat), { fix: true });
  expect(health).toMatchObject({ chatKey: basename(chat.folder), left: [{ kind: "closed", severity: "error" }] });
  expect(existsSync(archiveOf(chat, contextId))).toBe(true);
});

test("[W10] what is newer is said and left alone; the other chats are looked at all the same", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext()).archived!;
  await say(chat, ["c", "d"]);
  const newer = archiveOf(chat, "c_20260101_newer");
  writeFileSync(newer, readFileSync(archiveOf(chat, contextId), "utf8").replace('"v":1', '"v":2'));
  const text = `garbage\n${readFileSync(activeFile(chat), "utf8")}{"v":2,"ts":1}\n`;
  writeFileSync(activeFile(chat), text);
  const other = await open(dataOf(chat), "other");
  await say(other, ["e", "f"]);
  writeFileSync(join(dataOf(chat), "chat/notes.txt"), "mine");
  const [health, next, ...rest] = await doctor(dataOf(chat), { fix: true });
  expect(rest).toEqual([]);
  expect(next).toMatchObject({ chatKey: "other", findings: [] });
  expect(health?.left).toMatchObject([
    { kind: "closed", code: "DataNewer", message: expect.stringContaining("active.jsonl, line 4") },
    { kind: "closed", code: "DataNewer", message: expect.stringContaining(newer) },
  ]);
  expect(readFileSync(activeFile(chat), "utf8")).toBe(text);
});

test("[M7] what is left of a chat whose deletion was cut short is found and removed", async () => {
  const chat = await chatWith(["hunter2", "b"]);
  const grave = join(dirname(chat.folder), ".deleted-1-1");
  cpSync(chat.folder, grave, { recursive: true });
  expect(await kinds(dataOf(chat))).toEqual(["draft"]);
  expect(existsSync(grave)).toBe(true);
  await doctor(dataOf(chat), { purge: true });
  expect(readdirSync(dirname(chat.folder))).toEqual(["demo"]);
});

test("[W10] doctor says which chat it does not find", async () => {
  const chat = await chatWith(["a", "b"]);
  expect(await codeOf(() => doctor(dataOf(chat), { chatKey: "typo" }))).toBe("NotFound");
  expect(await doctor(dataOf(chat), { chatKey: "demo" })).toHaveLength(1);
  expect(await codeOf(async () => (await open(dataOf(chat), "typo")).deleteChat("typo"))).toBe("NotFound");
});

test("[W10] the holder of a lock whose folder was moved away does not release its successor's", async () => {
  const folder = join(dataFolder(), "lock");
  const [first, second] = [folderLock(folder, { patience: 1000 }), folderLock(folder, { patience: 1000 })];
  mkdirSync(folder, { recursive: true });
  let isDone: () => void = () => undefined;
  let held: Promise<void> | undefined;
  await first.hold(async () => {
    renameSync(folder, `${folder}-moved`);
    await new Promise<void>((isIn) => {
      held = second.hold(() => new Promise<void>((resolve) => ((isDone = resolve), isIn())));
    });
  });
  expect(existsSync(join(folder, "held"))).toBe(true);
  isDone();
  await held;
  expect(existsSync(join(folder, "held"))).toBe(false);
});

/** A process of another user, who may not look into every folder; root may. */
const asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
const command = [process.execPath, launcher];
const canChangeUser =
  process.getuid?.() === 0 && spawnSync("setpriv", [...asNobody, ...command, "--version"]).status === 0;

test.runIf(canChangeUser)(
  "[E] what may not be read is named, and never taken for what is not there",
  { timeout: 120_000 },
  async () => {
    const chat = await chatWith(["a", "b"]);
    const { contextId } = (await chat.newContext()).archived!;
    await chat.close();
    const data = dataOf(chat);
    chmodSync(join(data, ".."), 0o755);
    const expectRefusal = (pattern: RegExp): void => {
      for (const args of [["chat", "show", "--chat", "demo", "--context", contextId], ["doctor"]]) {
        const line = [...asNobody, ...command, ...args, "--data", data];
        const { status, stdout, stderr } = spawnSync("setpriv", line, { encoding: "utf8" });
        expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(pattern)]);
      }
    };
    // Nobody else may enter the data folder, and nobody is told that it is empty.
    expectRefusal(/error StorageFailed: .*data-\d+ cannot be read \(EACCES\)/);
    for (const args of [["run", "Hello", "--chat", "demo"], ["chat", "list", "--chat", "demo"], ["open"]]) {
      const line = [...asNobody, ...command, ...args, "--data", data];
      const { status, stderr } = spawnSync("setpriv", line, { encoding: "utf8" });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^error StorageFailed: .*EACCES.*\n {2}hint: /)]);
    }
    for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    }
    chmodSync(data, 0o755);
    chmodSync(join(chat.folder, "contexts/archive"), 0);
    expectRefusal(/error StorageFailed: .*archive.*EACCES/);
  },
);
