import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelMessage } from "@galley/engine";
import { afterEachFile } from "../../../testing/after-each-file.ts";
import type { Chat } from "../chat.ts";
import type { ChatOptions } from "../contexts/context-types.ts";
import { openChat } from "../open-chat.ts";

const root = mkdtempSync(join(tmpdir(), "galley-chat-"));
const chats: Chat[] = [];
afterEachFile(async () => {
  for (const chat of chats.splice(0)) await chat.close();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;

/** A data folder of its own for a test. */
export function dataFolder(): string {
  count += 1;
  return join(root, `data-${count}`);
}

export async function open(folder = dataFolder(), key = "demo", options: ChatOptions = {}): Promise<Chat> {
  const chat = await openChat(folder, key, options);
  chats.push(chat);
  return chat;
}

export const user = (content: string): ModelMessage => ({ role: "user", content });
export const assistant = (content: string): ModelMessage => ({ role: "assistant", content });

/** A chat that holds these texts, user and assistant in turns. */
export async function chatWith(texts: readonly string[], options: ChatOptions = {}): Promise<Chat> {
  const chat = await open(dataFolder(), "demo", options);
  await say(chat, texts);
  return chat;
}

export async function say(chat: Chat, texts: readonly string[]): Promise<void> {
  await chat.append(texts.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text))));
}

/** What the active context says, oldest first. */
export function texts(chat: Chat): unknown[] {
  return chat.window().messages.map(({ content }) => content);
}

export const activeFile = (chat: Chat): string => join(chat.folder, "contexts/active.jsonl");
export const transcriptFile = (chat: Chat): string => join(chat.folder, "conversations/history.jsonl");
export const archiveOf = (chat: Chat, contextId: string): string =>
  join(chat.folder, `contexts/archive/${contextId}.json`);

export function jsonLines(file: string): unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

/** The code of the error that something ends with. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "no error";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}
