import { GalleyError, parseJson } from "@galley/engine";
import * as z from "zod";
import { type Archive, archiveFile, deriveTitle, formatArchive } from "./archive-file.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { type ChatMessage, formatVersion, newerError, parseChatLine } from "../lines/chat-line.ts";
import { type Kept, interleave, isKeptLine } from "../lines/kept-lines.ts";
import { readText } from "../../disk/data-files.ts";
import { fileLines } from "../../disk/read-lines.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { runAtOnce, runInSlices } from "../../limits/in-slices.ts";
import { makeFolder } from "../../disk/private-folder.ts";
import { messageOf } from "../../disk/storage-error.ts";

const archiveSchema = z.object({
  v: z.number().default(formatVersion),
  contextId: z.string(),
  chatKey: z.string().optional(),
  title: z.string().default(""),
  createdAt: z.number().optional(),
  archivedAt: z.number(),
  archiveReason: z.string().default(""),
  summary: z.string().optional(),
  note: z.string().optional(),
  earlierNotes: z.array(z.string()).optional(),
  messages: z.array(z.unknown()),
});

type Head = Omit<z.infer<typeof archiveSchema>, "messages">;

interface Lines {
  readonly messages: ChatMessage[];
  readonly kept: Kept[];
}

interface Content extends Lines {
  readonly head: Head;
}

/** Reads an archive of this chat, or the messages up to some length of its lines; nothing when there is none. */
export function readArchive(paths: KnownPaths, contextId: string, maxCharacters?: number): Archive | undefined {
  return runAtOnce(archiveIn(paths, contextId, maxCharacters));
}

/** The same in slices: others have their turn while a long one is read. */
export function readArchiveInSlices(paths: KnownPaths, contextId: string): Promise<Archive | undefined> {
  return runInSlices(archiveIn(paths, contextId));
}

function* archiveIn(
  { archive, chatKey }: KnownPaths,
  contextId: string,
  maxCharacters = Infinity,
): Generator<undefined, Archive | undefined> {
  const file = archiveFile(archive, contextId);
  try {
    // Line by line where the file is as we write it, since no text can be longer than half a gigabyte; else as a whole.
    const content = (yield* readLines(file, maxCharacters)) ?? readWhole(file);
    return content && toArchive(content, file, contextId, chatKey);
  } catch (cause) {
    if (cause instanceof GalleyError && ["StorageFailed", "UnsafePath"].includes(cause.code)) throw cause;
    if (cause instanceof GalleyError && cause.code === "DataNewer") {
      const { code, hint } = cause;
      const message = cause.message.includes(file) ? cause.message : `${file}: ${cause.message}`;
      throw new GalleyError(code, message, { path: file, hint, cause });
    }
    const detail = cause instanceof z.ZodError ? "it does not have the fields of an archive" : messageOf(cause);
    throw new GalleyError("DataDamaged", `${file} cannot be used: ${detail.replace(/\.?$/, ".")}`, {
      path: file,
      hint: "galley doctor --fix moves it to quarantine and keeps all others.",
      cause,
    });
  }
}

/** An archive that can be read; a damaged one must not prevent a switch. */
export function findArchive(paths: KnownPaths, contextId: string): Archive | undefined {
  try {
    return readArchive(paths, contextId);
  } catch {
    return undefined;
  }
}

export async function updateArchive(
  paths: KnownPaths,
  contextId: string,
  change: (archive: Archive) => Archive,
): Promise<void> {
  const archive = await readArchiveInSlices(paths, contextId);
  if (!archive) return;
  const changed = change(archive);
  const lines = interleave(changed.messages, changed.kept);
  await writeArchive(paths, { ...changed, lines, messageCount: changed.messages.length });
}

/** Writes an archive, durably, in the place of one of the same id. */
export async function writeArchive(
  { archive, contexts, chatKey }: KnownPaths,
  about: Parameters<typeof formatArchive>[0],
): Promise<void> {
  makeFolder(archive);
  await replaceFile(archiveFile(archive, about.contextId), formatArchive(about, chatKey), { folder: contexts });
}

function toArchive({ head, messages, kept }: Content, file: string, contextId: string, chatKey: string): Archive {
  if (head.v > formatVersion) throw newerError(head.v, file);
  if (head.contextId !== contextId) throw new Error(`it says that it is ${JSON.stringify(head.contextId)}`);
  if (head.chatKey !== undefined && head.chatKey !== chatKey) throw new Error("it belongs to another chat");
  return {
    contextId,
    title: head.title || deriveTitle(messages),
    createdAt: head.createdAt ?? messages[0]?.ts ?? head.archivedAt,
    archivedAt: head.archivedAt,
    archiveReason: head.archiveReason,
    summary: head.summary,
    note: head.note,
    earlierNotes: head.earlierNotes,
    messageCount: messages.length,
    messages,
    kept,
  };
}

const opening = '"messages":[';

function* readLines(file: string, maxCharacters: number): Generator<undefined, Content | undefined> {
  let head: Head | undefined;
  let characters = 0;
  const lines: Lines = { messages: [], kept: [] };
  for (const { bytes } of fileLines(file)) {
    yield;
    const text = bytes.toString();
    try {
      if (head === undefined) {
        if (!text.endsWith(opening)) return undefined;
        head = archiveSchema.parse(parseJson(`${text}]}`, { what: "archive" }));
      } else if (text === "]}") return { head, ...lines };
      else addLine(lines, text.endsWith(",") ? text.slice(0, -1) : text);
      characters += text.length;
      if (head && characters > maxCharacters) return { head, ...lines };
    } catch {
      // Read as a whole, it says better what is wrong, or it was only laid out by another hand.
      return undefined;
    }
  }
  return undefined;
}

function addLine({ messages, kept }: Lines, text: string): void {
  const line = parseChatLine(text);
  if (line.type === "message") messages.push(line.message);
  else if (isKeptLine(line)) kept.push({ at: messages.length, line });
}

function readWhole(file: string): Content | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const head = archiveSchema.parse(parseJson(text, { what: "archive" }));
  const lines: Lines = { messages: [], kept: [] };
  for (const item of head.messages) addLine(lines, JSON.stringify({ v: formatVersion, ...(item as object) }));
  return { head, ...lines };
}
