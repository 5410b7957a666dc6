import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { galleyChats } from "./galley-chats.ts";

function openChats(): ReturnType<typeof galleyChats> {
  const data = mkdtempSync(join(tmpdir(), "galley-chats-"));
  const chats = galleyChats({ data, onChange: () => undefined, forget: async () => undefined });
  onTestFinished(async () => {
    await chats.close();
    rmSync(data, { recursive: true, force: true });
  });
  return chats;
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test.skipIf(!existsSync("/proc/self/fd"))("[W10] chats that are not used any more keep no files open", async () => {
  const chats = openChats();
  const before = openFiles();
  for (let turn = 0; turn < 2; turn += 1) {
    for (let number = 0; number < 150; number += 1) {
      const chat = await chats.open(`chat-${number}`);
      await chat.append([{ role: "user", content: `turn ${turn}` }]);
    }
  }
  // Two each for those that were used last, and for those since the others were put to rest.
  await expect.poll(() => openFiles() - before).toBeLessThanOrEqual(4 * 64 + 8);
  const first = await chats.open("chat-0");
  await first.append([{ role: "user", content: "again" }]);
  expect(first.transcript().messages.map(({ content }) => content)).toEqual(["turn 0", "turn 1", "again"]);
});

test("[W10] a chat that is put to rest while it is written to loses nothing", async () => {
  const chats = openChats();
  const chat = await chats.open("busy");
  const writing = Array.from({ length: 200 }, async (_, number) => {
    const written = chat.append([{ role: "user", content: String(number) }]);
    if (number % 7 === 0) await chat.closeIdleFiles();
    await written;
  });
  await Promise.all(writing);
  const contents = chat.transcript({ maxMessages: 1000 }).messages.map(({ content }) => Number(content));
  expect(contents).toEqual(Array.from({ length: 200 }, (_, number) => number));
});

test("asking for chats that are not there does not add up", async () => {
  const chats = openChats();
  const first = await chats.open("first");
  for (let number = 0; number < 1200; number += 1) await chats.open(`nobody-${number}`);
  await expect.poll(async () => (await chats.open("first")) === first).toBe(false);
});
