import { join } from "node:path";
import { GalleyError, type ModelMessage, type Problem, type Secrets } from "@galley/engine";
import * as z from "zod";
import { archivedIds } from "../chat/contexts/archive-index.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatOptions } from "../chat/contexts/context-types.ts";
import { formatVersion, messageId, newerError } from "../chat/lines/chat-line.ts";
import { toModelMessage } from "../chat/lines/chat-message.ts";
import { chatFolder, chatKeyIn, chatPaths, chatsFolder, graveName, noChatError } from "../chat/lines/chat-paths.ts";
import { exists, isFile, namesIn, readDocument, stampOf } from "../disk/data-files.ts";
import { openChat } from "../chat/open-chat.ts";
import { readWindow, textOf } from "../chat/lines/read-window.ts";
import { redactionReader } from "../chat/lines/redactions.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { makeFolder } from "../disk/private-folder.ts";
import { checkNames } from "../turn/services/check-names.ts";
import type { ChatItem, ChatSettings, GalleyChats } from "../turn/services/galley-ports.ts";

export interface GalleyChatsOptions extends Omit<ChatOptions, "secrets"> {
  readonly data: string;
  /** Asked again for every write: tokens and keys of agents become known while a chat is open. */
  readonly secrets?: () => Secrets;
  readonly onChange: (key: string) => void;
  /** Called when a message was redacted or a whole chat deleted: what else holds it must let go of it [M7]. */
  readonly forget: (key: string, message: ModelMessage | "everything") => Promise<void>;
}

const settingsSchema = z.looseObject({
  v: z.number().default(1),
  model: z.string().optional(),
  preset: z.string().optional(),
});
const previewLength = 120;
/** How many of the chats used last keep their files open: two each, and a process may not have many. */
const maxAwake = 64;
/** How many are remembered; a forgotten one is opened again when it is asked for. */
const maxKnown = 1000;

/** Options whose secrets are those that are known at the moment in which they are read. */
function withPresentSecrets(options: ChatOptions, secrets: () => Secrets): ChatOptions {
  return {
    ...options,
    get secrets() {
      return secrets();
    },
  };
}

/** Handles of chats that stay open, each opened once. */
export function galleyChats(given: GalleyChatsOptions): GalleyChats & { close(): Promise<void> } {
  const { data, onChange, forget, secrets = () => ({}), ...options } = given;
  const open = new Map<string, Promise<Chat>>();
  let uses = 0;
  const settingsFile = (key: string): string => join(chatFolder(data, key), "settings.json");
  const openNew = async (key: string): Promise<Chat> => {
    // The key becomes the name of a folder, and is in every record; one that is there already stays in reach.
    if (!exists(chatFolder(data, key))) checkNames({ chat: key }, secrets());
    return forgetting(await openChat(data, key, withPresentSecrets(options, secrets)), forget);
  };
  const openOnce = (key: string): Promise<Chat> => {
    const before = open.get(key);
    // Those that were used last stand at the end.
    open.delete(key);
    const opening = before ?? openNew(key);
    open.set(key, opening);
    if (!before) opening.catch(() => open.delete(key));
    uses += 1;
    if (uses % maxAwake === 0) void closeIdleChats(open);
    return opening;
  };
  return {
    open: openOnce,
    async list() {
      const { chats, problems } = listChats(data);
      return { chats: chats.sort((a, b) => b.updatedAt - a.updatedAt), problems };
    },
    settings: async (key) => readSettings(settingsFile(key)),
    async configure(key, given) {
      const { model, preset } = given;
      checkNames({ model, preset, ...(exists(chatFolder(data, key)) ? {} : { chat: key }) }, secrets());
      const file = settingsFile(key);
      const settings = Object.fromEntries(
        Object.entries({ ...readSettings(file), ...given }).filter(
          ([, value]) => value !== null && value !== undefined,
        ),
      );
      makeFolder(chatFolder(data, key));
      await replaceFile(file, [`${JSON.stringify({ v: 1, ...settings })}\n`]);
      onChange(key);
    },
    async delete(key, confirmation) {
      if (!exists(chatFolder(data, key))) throw noChatError(data, key);
      const chat = await openOnce(key);
      const removal = await chat.deleteChat(confirmation);
      open.delete(key);
      onChange(key);
      return removal;
    },
    async close() {
      for (const chat of await Promise.allSettled(open.values())) {
        if (chat.status === "fulfilled") await chat.value.close();
      }
      open.clear();
    },
  };
}

/** A chat whose files were closed here, or that is forgotten, still works for a caller that holds it. */
async function closeIdleChats(open: Map<string, Promise<Chat>>): Promise<void> {
  for (const [key, chat] of [...open].slice(0, -maxAwake)) {
    // A disk that refuses it does no harm here: the next writer is told.
    await chat.then((one) => one.closeIdleFiles()).catch(() => undefined);
    if (open.size > maxKnown && open.get(key) === chat) open.delete(key);
  }
}

/** The chat, whose redactions and deletion reach what was recorded of it as well. */
function forgetting(chat: Chat, forget: GalleyChatsOptions["forget"]): Chat {
  return {
    ...chat,
    async redact(id) {
      const { messages } = chat.transcript({ maxMessages: 100_000, maxCharacters: 2 ** 40 });
      const message = messages.find((one) => messageId(one) === id);
      const removal = await chat.redact(id);
      if (message) await forget(chat.key, toModelMessage(message));
      return removal;
    },
    async deleteChat(confirmation) {
      const removal = await chat.deleteChat(confirmation);
      await forget(chat.key, "everything");
      return removal;
    },
  };
}

function readSettings(file: string): ChatSettings {
  const found = readDocument(file, settingsSchema);
  if (found === undefined) return {};
  if (found === "damaged") {
    const hint = "Delete it: the chat then uses what turns and the configuration say.";
    throw new GalleyError("DataDamaged", `${file} does not hold the settings of a chat.`, { path: file, hint });
  }
  const { v, model, preset } = found;
  if (v > formatVersion) throw newerError(v, file);
  return { ...(model === undefined ? {} : { model }), ...(preset === undefined ? {} : { preset }) };
}

function listChats(data: string): { chats: ChatItem[]; problems: Problem[] } {
  const chats: ChatItem[] = [];
  const problems: Problem[] = [];
  const folder = chatsFolder(data);
  for (const name of namesIn(folder)) {
    const chat = join(folder, name);
    if (isFile(chat) || graveName.test(name)) continue;
    try {
      const item = itemOf(chat);
      if (item) chats.push(item);
    } catch (error) {
      const { code = "DataDamaged", message = String(error) } = error instanceof GalleyError ? error : {};
      problems.push({ severity: "warning", code, message, path: chat });
    }
  }
  return { chats, problems };
}

function itemOf(folder: string): ChatItem | undefined {
  const paths = chatPaths(folder);
  const key = chatKeyIn(paths.about);
  if (key === undefined) return undefined;
  const file = [paths.transcript, paths.active, paths.about].find((one) => exists(one)) ?? paths.about;
  const [last] = readWindow(paths.transcript, { maxMessages: 1 }, redactionReader(paths.redactions)()).messages;
  return {
    key,
    updatedAt: Math.floor(stampOf(file)?.mtimeMs ?? 0),
    contexts: archivedIds(paths.archive).length,
    preview: last ? textOf(last).slice(0, previewLength).toWellFormed() : "",
  };
}
