import { type Hash, createHash } from "node:crypto";
import { type MessageEntry, type SessionEntry, type Tally, growList } from "@galley/engine";
import { statInFolder, withFile } from "../../disk/data-files.ts";
import type { KeptFolder } from "../../disk/data-paths.ts";
import { linesFromStart, readAt } from "../../disk/read-lines.ts";
import { boundedMap } from "../../limits/bounded-map.ts";
import type { ChatMessage } from "./chat-line.ts";
import { type Redactions, isRedacted } from "./redactions.ts";
import { type Window, blockStart, collect, nothing, parseAt } from "./read-window.ts";
import { type StoredItem, shownItem, storedItem } from "./kept-lines.ts";
import {
  type ChatContext,
  type Question,
  addUnkept,
  chatContext,
  entriesOfLine,
  keptEntries,
  messageEntry,
} from "./session-entries.ts";
import { type FileState, isSameFile, isSameState, stateOf } from "../../disk/line-log.ts";

/** The active context of a chat as builds read it, kept parsed for as long as its file only grows [T11]. */
export interface ContextMemory {
  /** Without what lies behind the compaction in force. */
  read(maxBytes: number, redactions: Redactions, asked: Question): ChatContext;
  /** This process has appended to the file: in between, nobody else has changed it [T11]. */
  wrote(appended: Appended): void;
  /** Once they are written, the lines of these messages are read as these very entries: what is known of them stays known. */
  adopt(entries: readonly SessionEntry[]): void;
  forget(): void;
}

export interface ContextFiles {
  /** The log of the active context, and its folder. */
  readonly active: string;
  readonly folder: KeptFolder;
  /** The folder of pictures and files. */
  readonly files: string;
  /** The end of the transcript, for a context that does not exist yet. */
  readonly transcript: (maxBytes: number) => Window;
}

interface Known {
  readonly file: FileState;
  readonly maxBytes: number;
  readonly redactions: Redactions;
  /** The file after what this process has appended since. */
  readonly grown?: FileState | undefined;
  /** Where the first line begins that was read, and the end of the last whole one. */
  readonly start: number;
  readonly end: number;
  /** Of all bytes between: others there mean that somebody has mended the file by hand. */
  readonly bytes: Hash;
  readonly entries: readonly SessionEntry[];
  /** About how many bytes of memory they take. */
  readonly size: number;
  readonly unkept: Tally;
}

/** What this process has written behind the end of a log. */
export interface Appended {
  /** The state of the file before and after. */
  readonly before: FileState | undefined;
  readonly after: FileState;
  readonly lines: string;
  /** What the lines hold, where all of them are known. */
  readonly items: readonly StoredItem[] | undefined;
}

/** What an entry costs beside its text. */
const entryBytes = 400;

/** In bytes, over all chats of the process. */
const maxRemembered = 128 * 1024 * 1024;
const contexts = boundedMap<ContextMemory, Known>(maxRemembered, ({ size }) => size);

export function contextMemory({ active, folder, files, transcript }: ContextFiles): ContextMemory {
  const adopted = adoptedEntries();
  const readAll = (handle: number, file: FileState, maxBytes: number, redactions: Redactions): ChatContext => {
    const before = contexts.get(memory)?.entries;
    contexts.delete(memory);
    const { isForced, end, first, ...window } = collect(
      { file: active, handle, size: file.size },
      { maxBytes },
      redactions,
    );
    const context = chatContext(window, () => transcript(maxBytes), files, {});
    const entries = adopted.takeAll(inForce(context.entries) ?? context.entries, before);
    const { unkept } = context;
    // A window that begins in the middle of what it should hold is not one that can grow.
    if (isForced) return { entries, unkept };
    const start = first?.start ?? 0;
    contexts.set(memory, {
      file,
      maxBytes,
      redactions,
      start,
      end,
      bytes: hashOf(handle, start, end),
      entries,
      unkept,
      size: sizeOf(entries),
    });
    return { entries, unkept };
  };
  const memory: ContextMemory = {
    read(maxBytes, redactions, asked) {
      const kept = contexts.get(memory);
      if (kept && isOf(kept, maxBytes, redactions) && isSameState(kept.file, statInFolder(active, folder)))
        return contextOf(kept);
      const found = withFile(active, (handle, size, state): ChatContext => {
        const file = stateOf(state);
        const known = contexts.get(memory);
        const isKnown = known && isSameFile(known.file, file) && isOf(known, maxBytes, redactions);
        const before = isKnown ? known : undefined;
        if (before && isSameState(before.file, file)) return before;
        const reading = { active, files, handle, file, redactions, take: adopted.take };
        const next = before && size > before.file.size ? readOn(before, reading) : undefined;
        if (!next) return readAll(handle, file, maxBytes, redactions);
        contexts.set(memory, next);
        return next;
      });
      return found ? contextOf(found) : chatContext(nothing, () => transcript(maxBytes), files, asked);
    },
    wrote(appended) {
      const known = contexts.get(memory);
      if (!known) return;
      const isOwn = isSameState(known.grown ?? known.file, appended.before);
      const next = isOwn ? growBy(known, appended, files, adopted.take) : undefined;
      contexts.set(memory, next ?? { ...known, grown: isOwn ? appended.after : undefined });
    },
    adopt: (entries) => adopted.add(entries),
    forget: () => contexts.delete(memory),
  };
  return memory;
}

function contextOf({ entries, unkept }: ChatContext): ChatContext {
  return { entries, unkept };
}

function isOf(known: Known, maxBytes: number, { stamp }: Redactions): boolean {
  return known.maxBytes === maxBytes && known.redactions.stamp === stamp;
}

/** Takes in what this process has appended, without reading it back. Nothing where the file says more than the messages do. */
function growBy(
  before: Known,
  { before: found, after, lines, items }: Appended,
  files: string,
  take: Reading["take"],
): Known | undefined {
  if (!items?.every(isPlainMessage) || found?.size !== before.end) return undefined;
  const bytes = Buffer.from(lines);
  const end = before.end + bytes.length;
  if (after.size !== end || !isSameState(before.file, found)) return undefined;
  if (blockStart(end, before.maxBytes) !== blockStart(before.end, before.maxBytes)) return undefined;
  const heard = items.filter((message) => !isRedacted(message, before.redactions));
  const fresh = heard.map((message) => take(messageEntry(message, files)));
  before.bytes.update(bytes);
  const size = before.size + sizeOf(fresh);
  return { ...before, file: stateOf(after), grown: undefined, end, entries: growList(before.entries, fresh), size };
}

/** Whether a line holds nothing but words, which come back from the disk as they are. */
function isPlainMessage(item: StoredItem): item is ChatMessage {
  if ("type" in item || typeof item.content !== "string" || !item.content.isWellFormed()) return false;
  return item.said === undefined && item.sillytavern === undefined;
}

interface Reading extends Pick<ContextFiles, "active" | "files"> {
  readonly handle: number;
  readonly file: FileState;
  readonly redactions: Redactions;
  readonly take: (entry: MessageEntry) => MessageEntry;
}

/** Takes in what was appended, by this process or another one. Nothing where more than that has happened. */
function readOn(before: Known, { active, files, handle, file, redactions, take }: Reading): Known | undefined {
  const added = readAt(handle, before.end, file.size - before.end);
  const length = added.lastIndexOf(10) + 1;
  const end = before.end + length;
  if (!isSameState(before.grown, file) && !isUnchanged(handle, before)) return undefined;
  if (blockStart(end, before.maxBytes) !== blockStart(before.end, before.maxBytes)) return undefined;
  const fresh: SessionEntry[] = [];
  let { unkept } = before;
  for (const { bytes: text, start } of linesFromStart(handle, end, before.end)) {
    if (text.length === 0) continue;
    const line = parseAt(active, handle, start, text);
    const item = storedItem(line);
    const shown = shownItem(item, redactions);
    if (shown && "type" in shown) {
      fresh.push(...entriesOfLine(shown, files));
      unkept = addUnkept(unkept, shown);
    } else if (shown) fresh.push(take(messageEntry(shown, files)));
    if (line.type === "decision" && line.ts > redactions.latest) fresh.push(line.entry);
    // What says something about other lines is read together with them.
    if (!item && line.type !== "decision") return undefined;
  }
  before.bytes.update(added.subarray(0, length));
  const entries = fresh.length === 0 ? before.entries : growList(before.entries, fresh);
  const next = { ...before, file, grown: undefined, end, entries, unkept, size: before.size + sizeOf(fresh) };
  if (fresh.every(({ type }) => type !== "compaction")) return next;
  // A compaction that goes further back than these entries is read together with what it keeps.
  const kept = inForce(entries);
  return kept && { ...next, entries: kept, size: sizeOf(kept) };
}

function sizeOf(entries: readonly SessionEntry[]): number {
  let size = entries.length * entryBytes;
  for (const entry of entries) if (entry.type === "message") size += contentSize(entry.message.content);
  return size;
}

function contentSize(content: MessageEntry["message"]["content"]): number {
  if (typeof content === "string") return content.length;
  let size = 0;
  for (const part of content) {
    const data: unknown = part.type === "image" ? part.image : part.type === "file" ? part.data : undefined;
    if (part.type === "text") size += part.text.length;
    else if (data instanceof Uint8Array) size += data.byteLength;
  }
  return size;
}

/**
 * The entries from the first that the last compaction keeps: what lies behind it no build reads. Nothing where that is not among
 * them.
 */
function inForce(entries: readonly SessionEntry[]): readonly SessionEntry[] | undefined {
  const at = entries.findLastIndex(({ type }) => type === "compaction");
  const compaction = entries[at];
  if (compaction?.type !== "compaction") return entries;
  const kept = compaction.firstKeptEntryId;
  const first = kept === null ? at : entries.findLastIndex(({ id }, index) => index < at && id === kept);
  return first < 0 ? undefined : keptEntries(entries, first);
}

/** How many messages that are not written yet are remembered. */
const maxAdopted = 64;

/** Entries that builds have read, for the lines that say the same: what is known of an entry is known by its object. */
function adoptedEntries() {
  const adopted = new Map<string, MessageEntry>();
  const take = (entry: MessageEntry): MessageEntry => {
    const own = adopted.get(entry.id);
    adopted.delete(entry.id);
    return own && isSame(own, entry) ? own : entry;
  };
  return {
    take,
    takeAll(entries: readonly SessionEntry[], before: readonly SessionEntry[] = []): readonly SessionEntry[] {
      const earlier = new Map(before.map((entry) => [entry.id, entry]));
      return entries.map((entry) => {
        if (entry.type !== "message") return entry;
        const own = earlier.get(entry.id);
        return own?.type === "message" && isSame(own, entry) ? own : take(entry);
      });
    },
    add(entries: readonly SessionEntry[]): void {
      for (const entry of entries) if (entry.type === "message") adopted.set(entry.id, entry);
      for (const oldest of adopted.keys()) {
        if (adopted.size <= maxAdopted) break;
        adopted.delete(oldest);
      }
    },
  };
}

/** Only texts are compared; what holds pictures or files is read again. */
function isSame(a: MessageEntry, b: MessageEntry): boolean {
  if (a.ts !== b.ts || a.message.role !== b.message.role || typeof b.message.content !== "string") return false;
  return a.message.content === b.message.content && isPlain(a) && isPlain(b);
}

function isPlain({ message }: MessageEntry): boolean {
  return Object.keys(message).length === 2;
}

/** Whether the bytes that were read are still there, after another process has written or somebody has edited the file. */
function isUnchanged(handle: number, { start, end, bytes }: Known): boolean {
  return hashOf(handle, start, end).digest("base64") === bytes.copy().digest("base64");
}

function hashOf(handle: number, start: number, end: number): Hash {
  return createHash("sha1").update(readAt(handle, start, end - start));
}
