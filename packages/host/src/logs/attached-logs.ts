import { hash, randomInt } from "node:crypto";
import { join } from "node:path";
import type { MessageEntry, SessionEntry } from "@galley/engine";
import { type LogNames, growLogNames, messagesOfLog } from "@galley/engine/logs";
import { namesIn, readText, removeFiles, stampOf } from "../disk/data-files.ts";
import { type ForeignFile, openForeign, realForeign } from "../disk/foreign/foreign-files.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { isInside } from "../disk/user-file.ts";
import { openUserFolder } from "../disk/user-folder.js";
import { type AttachableAgent, attachableAgents, readPiece } from "./read-piece.ts";

// What an attached agent's log was read to [L7]. A file for each log in the person's own state folder, never below a data folder:
// anyone who knows the tag can read the log through Galley, and data folders are copied and handed on.

/** A log of an attached agent as far as it was read. */
export interface AttachedLog {
  readonly version: 1;
  /** What stands in the handles of this log: drawn, so that nobody reads a log that they were not told of. */
  readonly tag: string;
  readonly agent: AttachableAgent;
  readonly path: string;
  /** Where each piece begins that was read in one go, in bytes. Read in the same pieces, it has the same messages again. */
  readonly pieces: readonly number[];
  /** How far it was read, and what stood before that place. */
  readonly offset: number;
  readonly before: string;
  /** Tokens that the next request holds already of what was said before the compaction. */
  readonly spent: number;
  readonly names: LogNames;
}

export interface ReadAttachedOptions {
  /** On the clock of `performance.now`: no more is read afterwards. */
  readonly stopAt?: number;
  /** Kept with the log; as it was if absent. */
  readonly spent?: number;
}

const folderName = "attached";
/** Names are ranked once for this many entries: ranking looks at all of them. */
const entriesAtOnce = 8000;
/** A person's newest logs; older ones get a tag again when they are gone on with. */
const maxLogs = 300;
const maxStateBytes = 16 * 1024 * 1024;
/** Without letters that look like others. */
const letters = "abcdefghijkmnpqrstuvwxyz23456789";
const tagLength = 6;
const tagPattern = new RegExp(`^[${letters}]+$`);

/** Whether a text could be a tag. */
function isTag(text: string): boolean {
  return text.length === tagLength && tagPattern.test(text);
}

/**
 * Reads what is new of a log, and keeps how far that is. A log that was replaced or cut is another one, with another tag.
 * Nothing where there is no log to read, or no folder that is the person's alone.
 */
export async function readAttached(
  agent: AttachableAgent,
  path: string,
  { stopAt, spent: told }: ReadAttachedOptions = {},
): Promise<AttachedLog | undefined> {
  const opened = openUserFolder("state", folderName);
  const real = realForeign(path);
  const file = "folder" in opened && real !== undefined ? await openForeign(real) : undefined;
  if (!file || !("folder" in opened) || real === undefined) return undefined;
  try {
    const known = await findKnown(opened.folder, { agent, path: real, file });
    const from = known?.offset ?? 0;
    let names = known?.names;
    let unread: SessionEntry[] = [];
    const offset = await readPiece(file, agent, { from, stopAt, clipsResults: true }, (entries) => {
      for (const entry of entries) unread.push(entry);
      if (unread.length < entriesAtOnce) return;
      names = growLogNames(names, unread);
      unread = [];
    });
    names = growLogNames(names, unread);
    const spent = told ?? known?.spent ?? 0;
    if (known && offset === from && spent === known.spent) return known;
    const tag = known?.tag ?? drawTag();
    const pieces = [...(known?.pieces ?? []), ...(known && offset === from ? [] : [from])];
    const before = await file.digestBefore(offset);
    const state: AttachedLog = { version: 1, tag, agent, path: real, pieces, offset, before, spent, names };
    await replaceFile(join(opened.folder, nameOf(real, tag)), [JSON.stringify(state)]);
    if (!known) forgetOldest(opened.folder);
    return state;
  } finally {
    await file.close();
  }
}

/** The state of this very log; one of another log that lay there before is removed. */
async function findKnown(
  folder: string,
  { agent, path, file }: { readonly agent: AttachableAgent; readonly path: string; readonly file: ForeignFile },
): Promise<AttachedLog | undefined> {
  const start = nameOf(path, "");
  let found: AttachedLog | undefined;
  for (const name of namesIn(folder)) {
    if (!name.startsWith(start.slice(0, -suffix.length))) continue;
    const state = readState(join(folder, name));
    const isSame =
      state?.agent === agent &&
      state.path === path &&
      (await file.digestBefore(state.offset)) === state.before &&
      hasNames(state);
    if (isSame && !found) found = state;
    else forget(join(folder, name));
  }
  return found;
}

/** A file of which half was written over would keep the log from being read for good. */
function hasNames({ names }: AttachedLog): boolean {
  try {
    return growLogNames(names, []).messages >= 0;
  } catch {
    return false;
  }
}

/** What cannot be removed (a folder, a pipe) stays: another name is written beside it. */
function forget(file: string): void {
  try {
    removeFiles(file);
  } catch {
    // Nothing reads it.
  }
}

/** What a tag stands for; nothing where there is no such tag. */
export interface TaggedLog {
  /** All messages of the log, in its order: the first one's handle is 1. Nothing where another log lies in its place by now. */
  readonly messages: readonly MessageEntry[] | undefined;
}

/**
 * The one log that a tag opens.
 * @param dataFolder the folder that is served: tags below it would be handed on with it, and open nothing
 */
export async function openTagged(tag: string, dataFolder: string): Promise<TaggedLog | undefined> {
  const opened = openUserFolder("state", folderName);
  if (!isTag(tag) || !("folder" in opened) || isInside(opened.folder, dataFolder)) return undefined;
  const name = namesIn(opened.folder).find((one) => one.endsWith(`-${tag}${suffix}`));
  const state = name === undefined ? undefined : readState(join(opened.folder, name));
  if (!state) return undefined;
  // A link in its place leads to another log.
  const file = realForeign(state.path) === state.path ? await openForeign(state.path) : undefined;
  if (!file) return { messages: undefined };
  try {
    if ((await file.digestBefore(state.offset)) !== state.before) return { messages: undefined };
    const messages: MessageEntry[] = [];
    const starts = [...state.pieces, state.offset];
    for (const [index, from] of starts.entries()) {
      await readPiece(file, state.agent, { from, to: starts[index + 1] }, (entries) => {
        for (const message of messagesOfLog(entries)) messages.push(message);
      });
    }
    return { messages };
  } finally {
    await file.close();
  }
}

/** Takes the tags of an agent's logs away: nothing of them can be read through Galley any more. Gives how many there were. */
export function forgetTags(agent: AttachableAgent): number {
  const opened = openUserFolder("state", folderName);
  if (!("folder" in opened)) return 0;
  const files = namesIn(opened.folder).map((name) => join(opened.folder, name));
  const own = files.filter((file) => readState(file)?.agent === agent);
  removeFiles(...own);
  return own.length;
}

/** Where tags are kept, or why they cannot be. */
export function tagFolder(): ReturnType<typeof openUserFolder> {
  return openUserFolder("state", folderName);
}

const suffix = ".json";

/** By both, so that a look at the names finds a log by its path and by its tag. */
function nameOf(path: string, tag: string): string {
  return `${hash("sha256", path, "hex").slice(0, 24)}-${tag}${suffix}`;
}

function drawTag(): string {
  return Array.from({ length: tagLength }, () => letters[randomInt(letters.length)]).join("");
}

/** Nothing where a file is missing or damaged: the log is read again then. */
function readState(file: string): AttachedLog | undefined {
  try {
    const found = JSON.parse(readText(file, maxStateBytes) ?? "null") as Partial<AttachedLog> | null;
    const isWhole =
      found?.version === 1 &&
      isTag(String(found.tag)) &&
      attachableAgents.some((agent) => agent === found.agent) &&
      typeof found.path === "string" &&
      typeof found.before === "string" &&
      [found.offset, found.spent, ...(found.pieces ?? [Number.NaN])].every(
        (at) => Number.isSafeInteger(at) && Number(at) >= 0,
      ) &&
      Array.isArray(found.names?.rows);
    return isWhole ? (found as AttachedLog) : undefined;
  } catch {
    return undefined;
  }
}

function forgetOldest(folder: string): void {
  const files = namesIn(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => ({ path: join(folder, name), at: stampOf(join(folder, name))?.mtimeMs ?? 0 }));
  if (files.length <= maxLogs) return;
  const old = files.toSorted((a, b) => b.at - a.at).slice(maxLogs);
  removeFiles(...old.map(({ path }) => path));
}
