import { basename, dirname, join } from "node:path";
import { GalleyError } from "@galley/engine";
import { archiveIndex } from "../contexts/archive-index.ts";
import { encodeChatKey } from "../../disk/encode-chat-key.ts";
import {
  type ChatPaths,
  chatKeyIn,
  chatPaths,
  chatsFolder,
  checkDataFolder,
  graveName,
  makeChatFolder,
  noChatError,
} from "../lines/chat-paths.ts";
import { chatWriter } from "../lines/chat-writer.ts";
import { type Finding, checkChat, closedFile, finding } from "./check-chat.ts";
import { contextSearch } from "../contexts/context-search.ts";
import { purgeChat } from "./purge-chat.ts";
import { redactionReader } from "../lines/redactions.ts";
import { appendBytes, exists, isFile, moveEntry, namesIn, removeFolder, unsafeEntries } from "../../disk/data-files.ts";
import { isUnsafe } from "../../disk/data-paths.ts";
import { makeFolder, syncFolder } from "../../disk/private-folder.ts";
import { removeStoreCopies } from "../../disk/store-files.ts";
import { logLines, rewriteLog } from "../lines/log-lines.ts";

export interface DoctorOptions {
  /** Only this chat. */
  readonly chatKey?: string | undefined;
  /** Quarantine what is damaged, and nothing else. */
  readonly fix?: boolean | undefined;
  /** Remove the bytes of what was redacted, and copies of the store from before a migration. */
  readonly purge?: boolean | undefined;
}

/** What the doctor found in a chat, and what is left of it. */
export interface ChatHealth {
  /** The name of the folder where it cannot be told to which chat it belongs. */
  readonly chatKey: string;
  /** What was found; with `fix`, before it was mended. */
  readonly findings: readonly Finding[];
  /** What is left after mending. */
  readonly left: readonly Finding[];
  /** Messages whose bytes were removed. */
  readonly purged: number;
  /** Where what was damaged has been moved to, when something was. */
  readonly quarantine?: string;
}

/** Checks the chats of a data folder, and mends them when asked to [W10, M7]. */
export async function doctor(dataFolder: string, options: DoctorOptions = {}): Promise<readonly ChatHealth[]> {
  checkDataFolder(dataFolder);
  const folder = chatsFolder(dataFolder);
  const wanted = options.chatKey === undefined ? undefined : encodeChatKey(options.chatKey);
  const names = namesIn(folder).filter((name) => (wanted ?? name) === name && !isFile(join(folder, name)));
  if (options.chatKey !== undefined && names.length === 0) throw noChatError(dataFolder, options.chatKey);
  if (options.purge) removeStoreCopies(dataFolder);
  const chats: ChatHealth[] = [];
  for (const name of names) {
    const chat = join(folder, name);
    const unsafe = unsafeEntries(chat);
    if (unsafe.length > 0) chats.push(leaveAlone(chat, unsafe));
    else if (graveName.test(name)) chats.push(bury(chat, options));
    else if (!name.startsWith(".")) chats.push(await examineSafely(chat, options));
  }
  return chats;
}

/** Does nothing in a folder that holds a link or a pipe: purging would miss what the link leads to, and copies would show it. */
function leaveAlone(folder: string, unsafe: readonly GalleyError[]): ChatHealth {
  const findings = unsafe.map((error) => closedFile(error.path ?? folder, error));
  return { chatKey: decodedName(basename(folder)) ?? basename(folder), findings, left: findings, purged: 0 };
}

/** What is left of a chat that was being deleted when the process was stopped. */
function bury(folder: string, { fix, purge }: DoctorOptions): ChatHealth {
  const message = `${folder} is a leftover of a deleted chat.`;
  const hint = "--fix or --purge removes it.";
  const findings: Finding[] = [{ ...finding("draft", folder, message, hint), severity: "warning" }];
  const isRemoved = fix === true || purge === true;
  if (isRemoved) removeFolder(folder);
  return { chatKey: basename(folder), findings, left: isRemoved ? [] : findings, purged: 0 };
}

/** Mends nothing where the chat cannot be told: all of its archives would seem to belong to another one. */
function unknownChat(folder: string): ChatHealth {
  const { about } = chatPaths(folder);
  const message = `Nothing says which chat ${folder} belongs to: its name was shortened, or is not one of ours.`;
  const hint = `Write {"v":1,"key":"…"} with the chat's key to ${about}, or move the folder elsewhere.`;
  const findings = [finding("closed", about, message, hint)];
  return { chatKey: basename(folder), findings, left: findings, purged: 0 };
}

/** A folder where a file is expected is only found by opening it. It must not keep the other chats from being looked at. */
async function examineSafely(folder: string, options: DoctorOptions): Promise<ChatHealth> {
  try {
    return await examine(folder, options);
  } catch (error) {
    if (isUnsafe(error)) return leaveAlone(folder, [error]);
    throw error;
  }
}

async function examine(folder: string, { fix, purge }: DoctorOptions): Promise<ChatHealth> {
  const found = chatPaths(folder);
  const name = basename(folder);
  const chatKey = [chatKeyIn(found.about), decodedName(name)].find((key) => key !== undefined && hasName(key, name));
  if (chatKey === undefined) return unknownChat(folder);
  const paths = { ...found, chatKey };
  const findings = checkChat(paths);
  if (!fix && !purge) return { chatKey, findings, left: findings, purged: 0 };
  const writer = chatWriter({ paths, patience: 30_000, report: () => undefined });
  const redactions = redactionReader(paths.redactions);
  const index = archiveIndex(paths, redactions);
  const search = contextSearch(paths, index, redactions);
  try {
    await writer.mend();
    const moved = fix ? await writer.hold(() => moveDamage(paths, checkChat(paths))) : 0;
    // A `chat.json` that was moved away is written again.
    if (moved > 0) await writer.hold(() => makeChatFolder(paths));
    const purged = purge ? await writer.hold(() => purgeChat(paths, redactions())) : 0;
    try {
      await index.list();
      await search.refresh();
    } catch (error) {
      leaveFound(error);
    }
    const left = checkChat(paths);
    const quarantine = moved > 0 && exists(paths.quarantine) ? paths.quarantine : undefined;
    return { chatKey, findings, left, purged, quarantine };
  } finally {
    search.close();
    await writer.close();
  }
}

/** What cannot be read is among the findings already; it must not keep the other chats from being looked at. */
function leaveFound(error: unknown): void {
  const isFound = error instanceof GalleyError && (error.code === "DataNewer" || error.code === "DataDamaged");
  if (!isFound) throw error;
}

function decodedName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function hasName(key: string, name: string): boolean {
  try {
    return encodeChatKey(key) === name;
  } catch {
    return false;
  }
}

/** Moves what cannot be read out of the way. Called while the chat's lock is held. Gives the number of files concerned. */
async function moveDamage(paths: ChatPaths, findings: readonly Finding[]): Promise<number> {
  const logs = new Set(findings.filter(({ kind }) => kind === "line").map(({ file }) => file));
  const files = findings.filter(({ kind }) => kind === "archive" || kind === "about").map(({ file }) => file);
  if (logs.size + files.length === 0) return 0;
  makeFolder(paths.quarantine);
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 17);
  for (const file of logs) {
    const aside = join(paths.quarantine, `${stamp}-${basename(file)}`);
    const lines: Buffer[] = [];
    for (const { bytes, error } of logLines(file)) if (error !== undefined) lines.push(bytes, Buffer.from("\n"));
    // Safe in its new place before it leaves the old one.
    appendBytes(aside, Buffer.concat(lines));
    await rewriteLog(file, ({ bytes, error }) => (error === undefined ? bytes : undefined));
  }
  for (const file of files) {
    moveEntry(file, join(paths.quarantine, `${stamp}-${basename(file)}`));
    syncFolder(dirname(file));
    syncFolder(paths.quarantine);
  }
  return logs.size + files.length;
}
