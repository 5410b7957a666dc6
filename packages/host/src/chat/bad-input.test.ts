import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
} from "./testing/temp-chat.ts";

test.each([
  ["NUL", "a\0b"],
  ["lone surrogates", "a\ud83d b\ude00"],
  ["line ends", "a\nb\r\nc\u2028d\u2029e"],
  ["right-to-left marks", "\u202Eabc"],
  ["50 MB", "好".repeat(17_000_000)],
])("[W2] content with %s comes back as it was", { timeout: 120_000 }, async (_, content) => {
  const chat = await open();
  await say(chat, [content, "ok"]);
  const again = await open(join(chat.folder, "../.."));
  // Not as a matcher: it would print 50 MB when it fails.
  expect(again.window({ maxCharacters: 1e9 }).messages[0]?.content === content).toBe(true);
  expect(again.window({ maxMessages: 1 }).messages).toMatchObject([{ content: "ok" }]);
  const { archived } = await again.newContext();
  expect(again.readContext(archived!.contextId).messages[0]?.content === content).toBe(true);
});

test(
  "[W8] a context of millions of characters without a break is found, and does not keep the others from being found",
  { timeout: 120_000 },
  async () => {
    const chat = await chatWith([`苹果${"好".repeat(3_000_000)}`, "ok"]);
    const { contextId } = (await chat.newContext()).archived!;
    await say(chat, ["香蕉", "ok"]);
    const other = (await chat.newContext()).archived!.contextId;
    expect((await chat.loadContext({ query: "香蕉" })).loaded?.contextId).toBe(other);
    expect((await chat.loadContext({ query: "苹果" })).loaded?.contextId).toBe(contextId);
  },
);

test.each(["../x", "c_20260101_x/../../y", "/etc/passwd", "c_20260101_\0", "", "C:\\x", "c_2026_x", "a".repeat(5000)])(
  "[W7] %j is not a contextId",
  async (contextId) => {
    const chat = await chatWith(["a", "b"]);
    for (const work of [
      () => chat.loadContext({ contextId }),
      () => chat.readContext(contextId),
      () => chat.renameContext(contextId, "x"),
      () => chat.deleteContext(contextId, contextId),
    ])
      expect(await codeOf(work)).toBe("ContextInvalidInput");
    expect(texts(chat)).toEqual(["a", "b"]);
  },
);

test("[W7] an unknown contextId switches nothing", async () => {
  const chat = await chatWith(["a", "b"]);
  const before = readFileSync(activeFile(chat));
  expect(await codeOf(() => chat.loadContext({ contextId: "c_20260101_unknown" }))).toBe("NotFound");
  expect(readFileSync(activeFile(chat))).toEqual(before);
  expect((await chat.listContexts()).total).toBe(0);
});

test("[W7] archives of another chat, damaged and misnamed ones are neither listed nor loaded, and said", async () => {
  const folder = dataFolder();
  const [mine, other] = [await open(folder, "mine"), await open(folder, "other")];
  for (const chat of [mine, other]) await say(chat, [`secret of ${chat.key}`, "ok"]);
  const own = (await mine.newContext()).archived!.contextId;
  const foreign = (await other.newContext()).archived!.contextId;
  copyFileSync(archiveOf(other, foreign), archiveOf(mine, foreign));
  copyFileSync(archiveOf(mine, own), archiveOf(mine, "c_20260101_copy"));
  writeFileSync(archiveOf(mine, "c_20260101_half"), '{"v":1,"contextId":"c_20260101_half","mess');
  writeFileSync(
    archiveOf(mine, "c_20260101_newer"),
    '{"v":9,"contextId":"c_20260101_newer","archivedAt":1,"messages":[]}',
  );
  const { contexts, problems } = await mine.listContexts();
  expect(contexts.map(({ contextId }) => contextId)).toEqual([own]);
  expect(problems).toHaveLength(4);
  expect(problems.map(({ message }) => message).join("\n")).toMatch(/another chat[^]*|it says that it is/);
  expect((await mine.loadContext({ query: "secret other" })).loaded?.contextId).toBe(own);
  expect(await codeOf(() => mine.loadContext({ contextId: foreign }))).toBe("DataDamaged");
  expect(await codeOf(() => mine.loadContext({ contextId: "c_20260101_newer" }))).toBe("DataNewer");
});

test("[E] data of a newer version is refused before anything is touched", async () => {
  const folder = dataFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "galley.json"), '{"v":2}');
  expect(await codeOf(() => open(folder))).toBe("DataNewer");
  expect(readdirSync(folder)).toEqual(["galley.json"]);
  const chat = await open();
  mkdirSync(dirname(activeFile(chat)), { recursive: true });
  writeFileSync(activeFile(chat), '{"v":2,"ts":1,"role":"user","content":"a"}\n');
  expect(await codeOf(() => chat.window())).toBe("DataNewer");
  expect(await codeOf(() => chat.newContext())).toBe("DataNewer");
  expect(readFileSync(activeFile(chat), "utf8")).toContain('"v":2');
});

test("[E] reading a chat that does not exist makes nothing", async () => {
  const folder = dataFolder();
  const chat = await open(folder);
  expect(chat.window().exists).toBe(false);
  expect((await chat.listContexts()).contexts).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

const writer = fileURLToPath(new URL("testing/full-disk.ts", import.meta.url));

test("[W10] a disk that takes no more gives an error, and what was acknowledged stays whole", async () => {
  const folder = dataFolder();
  // A real limit of the system on the size of files: a write is cut short in the middle of a line.
  const run = spawnSync("bash", ["-c", `ulimit -f 64; exec "${process.execPath}" "${writer}" "${folder}"`], {
    encoding: "utf8",
  });
  const { acknowledged, errors } = JSON.parse(run.stdout) as { acknowledged: string[]; errors: string[] };
  expect(new Set(errors)).toEqual(new Set(["StorageFailed"]));
  expect(acknowledged.length).toBeGreaterThan(3);
  const chat = await open(folder);
  expect(chat.problems).toEqual([]);
  expect(
    chat.window({ maxCharacters: 1e9 }).messages.map(({ content }) => typeof content === "string" && content.trimEnd()),
  ).toEqual(acknowledged);
  expect(jsonLines(transcriptFile(chat))).toEqual(jsonLines(activeFile(chat)));
  await say(chat, ["goes on", "ok"]);
});

/** Whether this system lets us mount a file system of our own, which a full and a read-only disk need. */
const canMount = process.platform === "linux" && process.getuid?.() === 0 && tryMount();

function tryMount(): boolean {
  const folder = dataFolder();
  mkdirSync(folder, { recursive: true });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status !== 0) return false;
  spawnSync("umount", [folder]);
  return true;
}

test.runIf(canMount)("[W10] a full disk: nothing that was acknowledged is lost, a switch changes nothing", async () => {
  const folder = dataFolder();
  mkdirSync(folder, { recursive: true });
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]);
  try {
    const chat = await open(folder);
    const said: string[] = [];
    let code = "";
    for (let index = 0; code === "" && index < 100; index += 1) {
      const text = `${index} ${"x".repeat(5000)}`;
      code = await chat.append([{ role: index % 2 === 0 ? "user" : "assistant", content: text }]).then(
        () => (said.push(text), ""),
        (error: { code: string }) => error.code,
      );
    }
    expect(code).toBe("StorageFailed");
    expect(texts(chat)).toEqual(said);
    expect(await codeOf(() => chat.newContext())).toBe("StorageFailed");
    expect(texts(chat)).toEqual(said);
    expect(chat.transcript().messages.map(({ content }) => content)).toEqual(said);
    await chat.close();
    spawnSync("mount", ["-o", "remount,ro", folder]);
    const frozen = await open(folder);
    expect(texts(frozen)).toEqual(said);
    expect((await frozen.listContexts()).contexts).toEqual([]);
    expect(await codeOf(() => frozen.append([{ role: "user", content: "more" }]))).toBe("StorageFailed");
    expect(await codeOf(() => frozen.newContext())).toBe("StorageFailed");
    expect(texts(frozen)).toEqual(said);
    await frozen.close();
  } finally {
    spawnSync("umount", ["-l", folder]);
  }
});
