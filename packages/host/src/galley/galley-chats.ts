import type { ModelMessage, Secrets } from "@galley/engine";
import { chatLister } from "./chat-list.ts";
import { forkChat } from "./fork-chat.ts";
import { changeSettings, chatSettingsReader, checkChatChanges, readChatSettings } from "./chat-settings.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatOptions, SwitchSettings } from "../chat/contexts/context-types.ts";
import { messageId } from "../chat/lines/chat-line.ts";
import { toModelMessage } from "../chat/lines/chat-message.ts";
import { chatFolder, checkNewChat, noChatError, chatPaths } from "../chat/lines/chat-paths.ts";
import type { ContextSettings } from "../config/settings-in-force.ts";
import { exists } from "../disk/data-files.ts";
import { openChat } from "../chat/open-chat.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { makeFolder } from "../disk/private-folder.ts";
import { checkNames } from "../turn/services/check-request.ts";
import type { ChatItem, ChatSettings, FoundMessage, GalleyChats } from "../turn/services/galley-ports.ts";
import { chatFinder } from "../chat/find-in-chat.ts";
import { letOthersRun } from "../limits/in-slices.ts";

export interface GalleyChatsOptions extends Omit<ChatOptions, "secrets" | "settings"> {
  readonly data: string;
  /** Asked again for every write: tokens and keys of agents become known while a chat is open. */
  readonly secrets?: () => Secrets;
  readonly redact?: <Value>(value: Value) => Value;
  /** Whether the configuration has an agent of this name, which has a chat of its own [A6]. */
  readonly isAgent?: (name: string) => boolean;
  /** Throws where settings name something that is not there. */
  readonly checkContext?: (context: ContextSettings | null | undefined) => void;
  /** What is in force when a context of this chat is switched. */
  readonly switching?: (key: string) => Promise<SwitchSettings>;
  /** Called once for each chat that is opened, before anything is done with it. */
  readonly prepare?: (chat: Chat) => Promise<void>;
  readonly onChange: (key: string) => void;
  /** Called when a message was redacted or a whole chat deleted: what else holds it must let go of it [M7]. */
  readonly forget: (key: string, message: ModelMessage | "everything") => Promise<void>;
}

/** How many of the chats used last keep their files open: two each, and a process may not have many. */
const maxAwake = 64;
/** How many are remembered; a forgotten one is opened again when it is asked for. */
const maxKnown = 1000;

/** Where the settings of each chat are; what was found out once is remembered. */
function settingsFiles(data: string): (key: string) => string {
  const known = new Map<string, string>();
  return (key) => {
    const file = known.get(key) ?? chatPaths(chatFolder(data, key)).settings;
    if (known.size >= maxKnown) known.clear();
    known.set(key, file);
    return file;
  };
}

function writeSettings(file: string, settings: ChatSettings): Promise<void> {
  return replaceFile(file, [`${JSON.stringify({ v: 1, ...settings })}\n`]);
}

/** Handles of chats that stay open, each opened once. */
export function galleyChats(given: GalleyChatsOptions): GalleyChats & { close(): Promise<void> } {
  const { data, onChange, forget, switching, prepare, secrets = () => ({}), ...rest } = given;
  const { redact = (value) => value, isAgent = () => false, checkContext = () => undefined, ...options } = rest;
  const open = new Map<string, Promise<Chat>>();
  const settings = chatSettingsReader();
  const list = chatLister(data);
  const settingsFile = settingsFiles(data);
  const openNew = async (key: string): Promise<Chat> => {
    // The key becomes the name of a folder, and is in every record; one that is there already stays in reach.
    checkNewChat(data, key, isAgent);
    if (!exists(chatFolder(data, key))) checkNames({ chat: key }, secrets());
    const settings = switching && { settings: () => switching(key) };
    const chat = await openChat(data, key, {
      ...options,
      ...settings,
      // Those that are known at the moment in which they are read.
      get secrets() {
        return secrets();
      },
    });
    await prepare?.(chat);
    return forgetting(chat, forget);
  };
  const openOnce = keptOpen(open, openNew);
  return {
    open: openOnce,
    list,
    settings: async (key) => settings.read(settingsFile(key)),
    async configure(key, given) {
      checkChatChanges(given);
      checkNewChat(data, key, isAgent);
      checkContext(given.context);
      const { model, preset } = given;
      checkNames({ model, preset, ...(exists(chatFolder(data, key)) ? {} : { chat: key }) }, secrets());
      const file = settingsFile(key);
      const changed = redact(changeSettings(readChatSettings(file), given));
      makeFolder(chatFolder(data, key));
      await writeSettings(file, changed);
      onChange(key);
    },
    find: async (query, limit) => findMessages((await list()).chats, openOnce, query, limit),
    async fork(key, input = {}) {
      if (!exists(chatFolder(data, key))) throw noChatError(data, key);
      const { origin: forkedFrom, ...fork } = await forkChat(await openOnce(key), input, openOnce);
      // Everything but the name.
      const { title: _, ...taken } = readChatSettings(settingsFile(key));
      await writeSettings(settingsFile(fork.key), { ...taken, forkedFrom });
      for (const changed of [fork.key, key]) onChange(changed);
      return fork;
    },
    async delete(key, confirmation) {
      if (!exists(chatFolder(data, key))) throw noChatError(data, key);
      const chat = await openOnce(key);
      const removal = await chat.deleteChat(confirmation);
      open.delete(key);
      onChange(key);
      return removal;
    },
    close: () => closeAll(open),
  };
}

async function closeAll(open: Map<string, Promise<Chat>>): Promise<void> {
  for (const chat of await Promise.allSettled(open.values())) {
    if (chat.status === "fulfilled") await chat.value.close();
  }
  open.clear();
}

/** Opens each chat once, and gives the files of those back that were not used for long. */
function keptOpen(open: Map<string, Promise<Chat>>, openNew: (key: string) => Promise<Chat>) {
  let uses = 0;
  return (key: string): Promise<Chat> => {
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
}

/** A chat whose files were closed here, or that is forgotten, still works for a caller that holds it. */
async function closeIdleChats(open: Map<string, Promise<Chat>>): Promise<void> {
  const known = [...open];
  for (const [index, [key, chat]] of known.slice(0, -maxAwake).entries()) {
    // A disk that refuses it does no harm here: the next writer is told.
    await chat.then((one) => one.closeIdleFiles()).catch(() => undefined);
    if (index < known.length - maxKnown && open.get(key) === chat) open.delete(key);
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

/** Looks through chats one after the other until there is enough; others have their turn in between. */
async function findMessages(
  chats: readonly ChatItem[],
  open: (key: string) => Promise<Chat>,
  query: string,
  limit = 50,
): Promise<readonly FoundMessage[]> {
  const find = chatFinder(query);
  const found: FoundMessage[] = [];
  if (!find) return found;
  for (const { key, title } of chats) {
    if (found.length >= limit) break;
    await letOthersRun();
    found.push(...(await find(await open(key))).map((match) => ({ chat: key, title, ...match })));
  }
  return found.slice(0, limit);
}
