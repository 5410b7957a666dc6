import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Chat, openChat } from "galley";
import { archiveFile, formatArchive } from "../packages/host/src/chat/contexts/archive-file.ts";
import type { ChatMessage } from "../packages/host/src/chat/lines/chat-line.ts";
import { makeQueries } from "./archive-queries.ts";
import { type GeneratedArchive, generateArchives } from "./archives.ts";
import { type Growth, interleave, median } from "./measure.ts";

const messagesEach = 20;
const queriesPerKind = 5;

/** A search of a chat, as its tool does it, over archives of twenty messages, half of them Chinese; all kinds of queries. */
export const searchAt: Growth = async (sizes, folder) => {
  const chats: { readonly chat: Chat; readonly queries: readonly string[] }[] = [];
  for (const size of sizes) {
    const archives = generateArchives(size / messagesEach, messagesEach);
    const key = `search-${size}`;
    writeArchives(join(folder, "chat", key, "contexts", "archive"), key, archives);
    const chat = await openChat(folder, key);
    // The index is made by the first search.
    await chat.searchContexts("anything");
    chats.push({ chat, queries: makeQueries(archives, queriesPerKind).map(({ text }) => text) });
  }
  const count = Math.min(...chats.map(({ queries }) => queries.length));
  const sides = Object.fromEntries(
    chats.map(({ chat, queries }, index) => [
      String(index),
      (round: number) => chat.searchContexts(queries[(round + count) % count] ?? ""),
    ]),
  );
  // Each query twice: the first time it finds the index cold.
  const times = await interleave({ rounds: 2 * count, warmUp: 10, prepare: (round) => round }, sides);
  for (const { chat } of chats) await chat.close();
  return chats.map((_, index) => median(times[String(index)] ?? []));
};

function writeArchives(folder: string, key: string, archives: readonly GeneratedArchive[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { contextId, title, summary, archivedAt, messages } of archives) {
    const time = Date.parse(archivedAt);
    const lines = messages.map((message, index) => ({ ts: time - 100 + index, ...message }) as ChatMessage);
    const about = { contextId, title, summary, createdAt: time - 100, archivedAt: time, archiveReason: "bench" };
    const archive = { ...about, messageCount: lines.length, lines };
    writeFileSync(archiveFile(folder, contextId), [...formatArchive(archive, key)].join(""));
  }
}
