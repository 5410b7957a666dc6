import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ContextManager, type SessionEntry, type Tokenizer, digestOf, loadTokenizer } from "@galley/engine";
import { openChat } from "galley";
import { openStore } from "galley/store";
import { sha256 } from "../packages/host/src/disk/sha256.ts";
import { chatLine } from "./chat-folder.ts";
import { type Growth, interleave, median } from "./measure.ts";
import { freshSession, systemPrompt, toolSpecs } from "./sessions.ts";

const budget = 32_000;
const rounds = { rounds: 15, warmUp: 5, prepare: () => undefined };

/** What a process that has just started does for its first turn: opens the chat, reads its end, builds. */
export const loadChatAt: Growth = async (sizes, folder) => {
  const tokenizer = await loadTokenizer("o200k_base");
  for (const size of sizes) writeChat(folder, `chat-${size}`, size);
  // As much of a chat as the loop reads for a window of this size.
  const limits = { maxMessages: 20_000, maxCharacters: 400_000 };
  return timesOf(sizes, async (size) => {
    const chat = await openChat(folder, `chat-${size}`);
    await firstBuild(chat.entries(limits), tokenizer);
    await chat.close();
  });
};

function writeChat(data: string, key: string, size: number): void {
  for (const path of ["contexts/active.jsonl", "conversations/history.jsonl"]) {
    const file = join(data, "chat", key, path);
    mkdirSync(join(file, ".."), { recursive: true });
    for (let at = 0; at < size; at += 1000) {
      const count = Math.min(1000, size - at);
      appendFileSync(file, Array.from({ length: count }, (_, index) => chatLine(at + index)).join(""));
    }
  }
}

/** A plain session has no working contexts: its whole log is read. */
export const loadSessionAt: Growth = async (sizes, folder) => {
  const tokenizer = await loadTokenizer("o200k_base");
  const store = await openStore({ data: folder });
  const sessionOf = (size: number): { projectId: string; sessionId: string } => ({
    projectId: "bench",
    sessionId: `session-${size}`,
  });
  try {
    for (const size of sizes) {
      const entries = freshSession(size);
      for (let at = 0; at < size; at += 1000)
        await store.sessions.append(sessionOf(size), entries.slice(at, at + 1000));
    }
    return await timesOf(sizes, async (size) => firstBuild(await store.sessions.read(sessionOf(size)), tokenizer));
  } finally {
    await store.close();
  }
};

/** With a tokenizer that has no memory of texts counted before, as in a process that has just started. */
async function firstBuild(sessionEntries: readonly SessionEntry[], tokenizer: Tokenizer): Promise<void> {
  const init = { config: { maxInputTokens: budget }, tokenizer: { ...tokenizer }, systemPrompt, sha256 };
  const { build } = await new ContextManager(init).buildContext({ sessionEntries, toolSpecs });
  digestOf(build, { sha256 });
}

async function timesOf(sizes: readonly number[], work: (size: number) => Promise<void>): Promise<number[]> {
  const sides = Object.fromEntries(sizes.map((size) => [String(size), () => work(size)]));
  const times = await interleave(rounds, sides);
  return sizes.map((size) => median(times[String(size)] ?? []));
}
