import { dirname, join } from "node:path";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { agentOfChat, parsePlaceId } from "../../api/place-id.ts";
import { encodeChatKey } from "../../disk/encode-chat-key.ts";
import { formatVersion, newerError } from "./chat-line.ts";
import { exists, findDocument, maxNoteBytes, readDocument } from "../../disk/data-files.ts";
import { checkReadable, pathIn } from "../../disk/data-paths.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { makeFolder } from "../../disk/private-folder.ts";

/** Where things lie below a data folder [W1]. */
export interface ChatPaths {
  readonly folder: string;
  /** Says which chat it is: a name that was shortened does not tell. */
  readonly about: string;
  /** What its turns use unless they say otherwise [T3]. */
  readonly settings: string;
  readonly transcript: string;
  readonly redactions: string;
  readonly contexts: string;
  readonly active: string;
  readonly index: string;
  readonly search: string;
  readonly archive: string;
  readonly quarantine: string;
  readonly files: string;
  readonly lock: string;
}

/** The paths of a chat whose key is known: its archives say to which chat they belong. */
export interface KnownPaths extends ChatPaths {
  readonly chatKey: string;
}

export function chatPaths(folder: string): ChatPaths {
  const contexts = join(folder, "contexts");
  return {
    folder,
    about: join(folder, "chat.json"),
    settings: join(folder, "settings.json"),
    transcript: join(folder, "conversations", "history.jsonl"),
    redactions: join(folder, "conversations", "redactions.jsonl"),
    contexts,
    active: join(contexts, "active.jsonl"),
    index: join(contexts, "index.json"),
    search: join(contexts, "search.sqlite"),
    archive: join(contexts, "archive"),
    quarantine: join(folder, "quarantine"),
    files: join(folder, "files"),
    lock: join(folder, "lock"),
  };
}

export function chatsFolder(dataFolder: string): string {
  return pathIn(dataFolder, "chat");
}

/** What a chat's folder is called while it is being deleted. */
export const graveName = /^\.deleted-\d+-\d+$/;

export function chatFolder(dataFolder: string, chatKey: string): string {
  return join(chatsFolder(dataFolder), encodeChatKey(chatKey));
}

export function noChatError(dataFolder: string, chatKey: string): GalleyError {
  return new GalleyError("NotFound", `There is no chat ${JSON.stringify(chatKey)} in ${dataFolder}.`, {
    path: chatKey,
    hint: "Check its key and the data folder: galley doctor names the chats that are there, galley chat add begins one.",
  });
}

/** Refuses a key that names another place; the chat of an agent is opened with the agent. */
export function checkChatKey(key: string): string {
  const { kind } = parsePlaceId(key);
  if (kind !== "agent" && kind !== "task") return key;
  const hint =
    kind === "agent" ? "Talk to the agent instead: agent, or --agent NAME." : "Choose another key, such as demo.";
  throw new GalleyError("InvalidId", `The key of a chat cannot begin with ${kind}:`, { path: "chat", hint });
}

/** Refuses to begin a chat under such a key; one that is there, or that an agent has, can be worked on [A6]. */
export function checkNewChat(dataFolder: string, key: string, isAgent: (name: string) => boolean): void {
  const agent = agentOfChat(key);
  const isOwned = agent !== undefined && isAgent(agent);
  if (!isOwned && !exists(chatFolder(dataFolder, key))) checkChatKey(key);
}

const versionSchema = z.looseObject({ v: z.number() });

/** Refuses a data folder, or a chat in it, that a newer Galley has written, before anything in it is touched. */
export function checkDataFolder(dataFolder: string, chat?: ChatPaths): void {
  checkReadable(dataFolder);
  const file = pathIn(dataFolder, "galley.json");
  const found = readDocument(file, versionSchema, maxNoteBytes);
  if (found === "damaged") {
    throw new GalleyError("DataDamaged", `${file} does not say the version of the data folder.`, {
      path: file,
      hint: `It holds nothing else: write {"v":${formatVersion}} into it if no newer Galley has used the folder.`,
    });
  }
  if (found && found.v > formatVersion) throw newerError(found.v, file);
  if (chat) checkAboutVersion(chat.about);
}

/** Refuses a `chat.json` that a newer Galley has written. */
export function checkAboutVersion(about: string): void {
  const found = findDocument(about, versionSchema, maxNoteBytes);
  if (found && found.v > formatVersion) throw newerError(found.v, about);
}

/** Makes what a chat needs before its first message. */
export async function makeChatFolder({ chatKey, folder, about }: KnownPaths): Promise<void> {
  // Made last.
  if (exists(about)) return;
  const version = join(dirname(dirname(folder)), "galley.json");
  makeFolder(folder);
  if (!exists(version)) await replaceFile(version, [`${JSON.stringify({ v: formatVersion })}\n`]);
  if (!exists(about)) await replaceFile(about, [`${JSON.stringify({ v: formatVersion, key: chatKey })}\n`]);
}

const aboutSchema = z.looseObject({ key: z.string() });

/** The key that a `chat.json` holds, where it can be told. */
export function chatKeyIn(about: string): string | undefined {
  return findDocument(about, aboutSchema, maxNoteBytes)?.key;
}
