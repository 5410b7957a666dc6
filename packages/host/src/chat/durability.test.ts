import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
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
  transcriptFile,
  user,
} from "./testing/temp-chat.ts";
import { folderLock, holderOf } from "../disk/folder-lock.ts";
import { fateOf, ownIdentity } from "../disk/process-identity.ts";

test("[W10] many appends at once keep their order and whole lines, also from two handles", async () => {
  const folder = dataFolder();
  const [a, b] = [await open(folder), await open(folder)];
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  await Promise.all(numbers.flatMap((index) => [a.append([user(`a ${index}`)]), b.append([user(`b ${index}`)])]));
  const lines = jsonLines(activeFile(a)) as { content: string }[];
  expect(jsonLines(transcriptFile(a))).toEqual(lines);
  for (const name of ["a", "b"]) {
    const own = lines.filter(({ content }) => content.startsWith(name)).map(({ content }) => content);
    expect(own).toEqual(numbers.map((index) => `${name} ${index}`));
  }
});

test("[W10] what is appended behind a very long call comes behind it", async () => {
  const chat = await open(dataFolder());
  const many = Array.from({ length: 3000 }, (_, index) => user(`first ${index}`));
  await Promise.all([chat.append(many), chat.append([user("second")]), chat.append([user("third")])]);
  const lines = jsonLines(activeFile(chat)) as { content: string; ts: number }[];
  expect(lines.map(({ content }) => content)).toEqual([...many.map(({ content }) => content), "second", "third"]);
  expect(lines.every(({ ts }, index) => index === 0 || ts > (lines[index - 1]?.ts ?? 0))).toBe(true);
});

test("[W10] one call is all or nothing: a bad message keeps the others of its call out, and those of no other", async () => {
  const chat = await open();
  const results = await Promise.allSettled([
    chat.append([user("a")]),
    chat.append([user("b"), { role: "user", content: 7 as unknown as string }]),
    chat.append([user("c")]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(texts(chat)).toEqual(["a", "c"]);
});

test("[W10] a torn last line is set aside and reported when the chat is opened", async () => {
  const chat = await chatWith(["a", "b"]);
  for (const file of [activeFile(chat), transcriptFile(chat)]) appendFileSync(file, '{"v":1,"ts":3,"role":"user","con');
  expect(texts(chat)).toEqual(["a", "b"]);
  const again = await open(join(chat.folder, "../.."));
  expect(again.problems).toHaveLength(2);
  expect(again.problems[0]).toMatchObject({ code: "DataDamaged", message: expect.stringContaining(".torn") });
  expect(readFileSync(`${activeFile(chat)}.torn`, "utf8")).toBe('{"v":1,"ts":3,"role":"user","con\n');
  await say(chat, ["c", "d"]);
  expect(texts(again)).toEqual(["a", "b", "c", "d"]);
});

test("[W10] a line that was torn while the chat is open is set aside by the next append", async () => {
  const chat = await chatWith(["a", "b"]);
  appendFileSync(activeFile(chat), Buffer.alloc(5000));
  await say(chat, ["c"]);
  expect(texts(chat)).toEqual(["a", "b", "c"]);
  expect(chat.problems).toHaveLength(1);
});

test("[W10] a last line that only lacks its end is kept", async () => {
  const chat = await chatWith(["a", "b"]);
  truncateSync(activeFile(chat), readFileSync(activeFile(chat)).length - 1);
  const again = await open(join(chat.folder, "../.."));
  expect(again.problems).toEqual([]);
  expect(texts(again)).toEqual(["a", "b"]);
});

test("[W10] a damaged line in the middle is an error that names file and line, and nothing is switched", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const lines = readFileSync(activeFile(chat), "utf8").split("\n");
  writeFileSync(activeFile(chat), [...lines.slice(0, 2), '{"v":1,"ts":', ...lines.slice(2)].join("\n"));
  const before = readFileSync(activeFile(chat));
  expect(() => chat.window()).toThrow(expect.objectContaining({ code: "DataDamaged", path: `${activeFile(chat)}:3` }));
  expect(await codeOf(() => chat.newContext())).toBe("DataDamaged");
  expect(readFileSync(activeFile(chat))).toEqual(before);
  expect((await chat.listContexts()).total).toBe(0);
  await say(chat, ["e"]);
  expect(chat.window({ maxMessages: 1 }).messages[0]?.content).toBe("e");
});

test("[W10] a switch that was cut short after it had archived is recognised: no second archive, nothing lost", async () => {
  const chat = await chatWith(["a", "b"]);
  copyFileSync(activeFile(chat), join(chat.folder, "before"));
  const first = (await chat.newContext()).archived!.contextId;
  // As a crash leaves it before the active file is replaced.
  copyFileSync(join(chat.folder, "before"), activeFile(chat));
  expect((await chat.listContexts()).contexts).toEqual([]);
  expect((await chat.loadContext({ query: "a" })).loaded).toBeUndefined();
  await say(chat, ["c", "d"]);
  const second = (await chat.newContext()).archived!.contextId;
  expect(second).toBe(first);
  expect(readdirSync(join(chat.folder, "contexts/archive"))).toHaveLength(1);
  expect(chat.readContext(first).messages.map(({ content }) => content)).toEqual(["a", "b", "c", "d"]);
});

test("[W10] contexts that begin with the same line keep archives of their own", async () => {
  const chat = await open(dataFolder(), "demo", { now: () => 5 });
  await say(chat, ["a", "b"]);
  const line = readFileSync(activeFile(chat), "utf8");
  await chat.newContext();
  writeFileSync(activeFile(chat), line.replace('"b"', '"another b"'));
  await chat.newContext();
  const { contexts } = await chat.listContexts();
  expect(contexts).toHaveLength(2);
  expect(new Set(contexts.map(({ contextId }) => contextId)).size).toBe(2);
});

test("[W10] drafts and tickets of killed writers are swept", async () => {
  const chat = await chatWith(["a", "b"]);
  const draft = join(chat.folder, "contexts/.active.jsonl.999999-1-abcdef.tmp");
  writeFileSync(draft, "half");
  const again = await open(join(chat.folder, "../.."));
  await say(again, ["c"]);
  expect(existsSync(draft)).toBe(false);
});

test("[W10] a lock left by a dead process, or by one whose number was given again, is taken over", async () => {
  const chat = await chatWith(["a"]);
  const held = join(chat.folder, "lock/held");
  const dead = spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).stdout.trim();
  for (const identity of [{ pid: Number(dead) }, { start: "1" }, { boot: "another run of the machine" }]) {
    writeFileSync(held, JSON.stringify({ ...ownIdentity(), ...identity }));
    await say(chat, ["b"]);
    expect(existsSync(held)).toBe(false);
  }
  for (const text of ["", "{}", "half a fi"]) {
    writeFileSync(held, text);
    await say(chat, ["c"]);
  }
  expect(texts(chat)).toHaveLength(7);
});

test("[W10] a lock of a living process is waited for, one of another machine is never broken", async () => {
  const folder = dataFolder();
  mkdirSync(join(folder, "lock"), { recursive: true });
  const held = join(folder, "lock/held");
  const lock = folderLock(join(folder, "lock"), { patience: 60 });
  for (const identity of [{}, { host: "elsewhere", pid: 1 }, { space: "another container" }]) {
    writeFileSync(held, JSON.stringify({ ...ownIdentity(), ...identity }));
    expect(fateOf(holderOf(held) as never)).not.toBe("dead");
    await expect(lock.hold(async () => "in")).rejects.toMatchObject({ code: "DataLocked", retryable: true });
    expect(existsSync(held)).toBe(true);
  }
  await lock.close();
});

test("[W10] holders take turns: no two are in at once", async () => {
  const folder = join(dataFolder(), "lock");
  mkdirSync(folder, { recursive: true });
  const locks = Array.from({ length: 4 }, () => folderLock(folder, { patience: 10_000 }));
  let inside = 0;
  let max = 0;
  const visit = async (): Promise<void> => {
    inside += 1;
    max = Math.max(max, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(locks.flatMap((lock) => Array.from({ length: 20 }, () => lock.hold(visit))));
  expect(max).toBe(1);
  await Promise.all(locks.map((lock) => lock.close()));
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["missing", undefined],
  ["an empty object", "{}"],
  ["half a file", '{"v":1,"items":[{"contextId":"c_2026'],
  ["of a newer version", '{"v":2,"items":[]}'],
  ["older", '{"v":1,"items":[]}'],
  [
    "a wrong one",
    JSON.stringify({
      v: 1,
      items: [
        {
          contextId: "c_20260101_x",
          title: "gone",
          createdAt: 1,
          archivedAt: 1,
          messageCount: 1,
          summaryPreview: "",
          stamp: "1",
        },
      ],
    }),
  ],
])("[W7] an index that is %s is rebuilt from the archives", async (_, content) => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext({ title: "First" });
  await say(chat, ["c", "d"]);
  await chat.newContext({ title: "Second" });
  await chat.listContexts();
  const file = join(chat.folder, "contexts/index.json");
  const good = readFileSync(file, "utf8");
  if (content === undefined) rmSync(file);
  else writeFileSync(file, content);
  const again = await open(join(chat.folder, "../.."));
  expect((await again.listContexts()).contexts.map(({ title }) => title).toSorted()).toEqual(["First", "Second"]);
  expect(readFileSync(file, "utf8")).toBe(good);
});

test("[W7] an archive that was changed by hand is seen", async () => {
  const chat = await chatWith(["a", "b"]);
  const { contextId } = (await chat.newContext({ title: "First" })).archived!;
  const file = archiveOf(chat, contextId);
  writeFileSync(file, readFileSync(file, "utf8").replace("First", "By hand"));
  const again = await open(join(chat.folder, "../.."));
  expect((await again.listContexts()).contexts[0]?.title).toBe("By hand");
});

test("[W7] a time that no calendar has harms nothing", async () => {
  const chat = await chatWith([]);
  mkdirSync(join(chat.folder, "contexts"), { recursive: true });
  const line = (ts: number, role: string): string => `${JSON.stringify({ v: 1, ts, role, content: "a" })}\n`;
  writeFileSync(activeFile(chat), line(1e300, "user") + line(-5, "assistant"));
  expect((await chat.newContext()).archived?.contextId).toMatch(/^c_19700101_/);
  expect((await chat.loadContext({ query: "a" })).loaded?.messageCount).toBe(2);
});

test("[W10] a damaged active context does not keep anybody from the archives", async () => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext();
  writeFileSync(activeFile(chat), "garbage\n");
  expect((await chat.listContexts()).total).toBe(1);
});
