import { type Language, isMessageEntry } from "@galley/engine";
import { type Archive, archiveFile, newContextId, nextNotes, recentMessages, withoutRedacted } from "./archive-file.ts";
import { type ChatMessage, type RecallMode, type RecalledLine, formatLine, messageId } from "../lines/chat-line.ts";
import { type Kept, type StoredItem, formatStored, interleave, isMessage, keptFrom } from "../lines/kept-lines.ts";
import { entriesOfLine } from "../lines/session-entries.ts";
import { withoutOldNote } from "../lines/read-window.ts";
import { type AboutArchive, archiveNote, renewNote, unknownContext } from "./archive-note.ts";
import type { ArchivedContext, NewInput } from "./context-types.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { findArchive, readArchiveInSlices, writeArchive } from "./read-archive.ts";
import { exists } from "../../disk/data-files.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { makeFolder } from "../../disk/private-folder.ts";
import {
  type ActiveScan,
  type SwitchScope,
  activeMessageIds,
  isStartOf,
  keptLines,
  latePins,
  messageLines,
  scanActive,
} from "./scan-active.ts";

/**
 * Puts the active context away and starts one that holds only what is unanswered. The archive is durable before the active
 * file is replaced, and that replacement is the moment at which the switch has happened: a crash before it leaves the old
 * context active, with an archive that the next switch recognises as its own.
 */
export async function startContext(
  scope: SwitchScope,
  { contextId, reason = "new", note, ...named }: NewInput,
): Promise<{ readonly archived?: ArchivedContext; readonly kept: number }> {
  const scan = await scanActive(scope);
  const about = { ...named, reason, note: note || undefined };
  if (contextId !== undefined && contextId !== scan.recalled?.from) {
    return { archived: await renewNote(scope, contextId, about), kept: scan.messageCount };
  }
  const archived = (await archiveActive(scope, scan, about)) ?? (await archiveNote(scope, scan.recalled, about));
  await replaceActive(scope, scan, []);
  // Where there was nothing to put away, the context is as empty as it was, and the same.
  if (archived) scope.onSwitch(archived.contextId);
  return { archived, kept: scan.messageCount - scan.keptFrom };
}

interface Recall {
  readonly contextId: string;
  readonly mode: RecallMode;
  readonly language: Language;
  /** The call of a tool that asks for it, if one does. */
  readonly call: string | undefined;
}

/**
 * Makes an archived context the active one, after the present one was put away. The archive is read behind that: it may be the
 * one that the present context came from, which has a new version then.
 */
export async function recallContext(
  scope: SwitchScope,
  { contextId, mode, language, call }: Recall,
): Promise<{ readonly archived?: ArchivedContext; readonly recalled: RecalledLine; readonly title: string }> {
  const { paths, now, redactions } = scope;
  const read = async (): Promise<Archive> => {
    const found = await readArchiveInSlices(paths, contextId);
    if (!found) throw unknownContext(contextId);
    return withoutRedacted(found, redactions);
  };
  // What cannot be loaded must not put anything away.
  const before = await read();
  const scan = await scanActive(scope);
  const archived = await archiveActive(scope, scan, { reason: "load" });
  const archive = archived?.contextId === contextId ? await read() : before;
  const { messages, kept, ...how } = recalledMessages(archive, mode, now);
  const recalled: RecalledLine = {
    type: "recalled",
    ts: now,
    contextId: newContextId(now),
    from: contextId,
    ...how,
    messageCount: messages.length,
    language,
    note: archive.note,
    call,
  };
  await replaceActive(scope, scan, recalledLines(recalled, messages, kept));
  scope.onSwitch(archived?.contextId);
  return { archived, recalled, title: archive.title };
}

/** Empties the active context without an archive; what is unanswered stays [W6]. */
export async function clearContext(scope: SwitchScope): Promise<{ readonly removed: number; readonly kept: number }> {
  const scan = await scanActive(scope);
  await replaceActive(scope, scan, []);
  return { removed: scan.keptFrom, kept: scan.messageCount - scan.keptFrom };
}

type Recalled = Pick<RecalledLine, "mode" | "after" | "before"> & Pick<Archive, "messages" | "kept">;

/** What comes back. Without a summary it is the last messages, and says so [A8]. */
function recalledMessages({ contextId, messages, kept, summary }: Archive, mode: RecallMode, now: number): Recalled {
  if (mode === "full") return { mode, messages, kept };
  const before = (index: number): string | null => {
    const message = messages[index - 1];
    return message ? messageId(message) : null;
  };
  const left = (first: number): Pick<RecalledLine, "after" | "before"> => {
    const lines = kept.filter(({ at }) => at <= first).flatMap(({ line }) => entriesOfLine(line));
    return { after: before(first), before: first + lines.filter(isMessageEntry).length };
  };
  if (mode === "summary" && summary !== undefined) {
    const told: ChatMessage = { ts: now, role: "assistant", content: summary, summaryOf: contextId };
    return { mode, ...left(messages.length), messages: [told], kept: keptFrom(kept, messages.length) };
  }
  const first = Math.max(0, messages.length - recentMessages);
  if (first === 0) return { mode: "recent", after: null, messages, kept };
  return { mode: "recent", ...left(first), messages: messages.slice(first), kept: keptFrom(kept, first) };
}

function* recalledLines(
  recalled: RecalledLine,
  messages: readonly ChatMessage[],
  kept: readonly Kept[],
): Generator<string> {
  yield formatLine(recalled);
  for (const item of interleave(messages, kept)) yield formatStored(item);
}

async function archiveActive(
  { paths, now, redactions }: SwitchScope,
  scan: ActiveScan,
  { title, reason, note }: AboutArchive,
): Promise<ArchivedContext | undefined> {
  if (scan.archivedCount === 0) return undefined;
  const { recalled } = scan;
  const source = scan.source && withoutRedacted(scan.source, redactions);
  const before = source && recalled ? continuedMessages(source, recalled, paths.active) : [];
  const about = {
    contextId: ownId(paths, scan, now),
    title: title || source?.title || scan.title,
    ...nextNotes(source ?? (recalled && withoutOldNote(recalled, redactions)) ?? {}, note),
    createdAt: source?.createdAt ?? scan.createdAt,
    archivedAt: now,
    archiveReason: reason,
    // Until there is a newer one.
    summary: source?.summary,
    messageCount: before.filter(isMessage).length + scan.archivedCount - scan.summaryCount,
  };
  const own = chain(
    skip(messageLines(paths.active, scan.archivedCount), scan.summaryCount),
    latePins(paths.active, scan.archivedCount, scan).values(),
  );
  await writeArchive(paths, { ...about, lines: chain<string | StoredItem>(before, own) });
  return { contextId: about.contextId, title: about.title, messageCount: about.messageCount };
}

function* chain<Item>(...lists: readonly Iterable<Item>[]): Generator<Item> {
  for (const list of lists) yield* list;
}

function* skip<Item>(list: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of list) if (left-- <= 0) yield item;
}

/**
 * What the archive of a topic holds before the messages that are active: nothing where all of it was recalled. Found by what
 * the messages say, so that a switch that was cut short and is made again puts nothing down twice [A10].
 */
function continuedMessages(
  { messages, kept }: Archive,
  { mode, after }: RecalledLine,
  active: string,
): readonly StoredItem[] {
  if (mode === "full" || after === null) return [];
  const at = after === undefined ? -1 : messages.findIndex((message) => messageId(message) === after) + 1;
  const present = at > 0 ? undefined : new Set(activeMessageIds(active));
  const isBefore = messages.map((message, index) => (present ? !present.has(messageId(message)) : index < at));
  // A typed line belongs to the message before it.
  let number = 0;
  return [...interleave(messages, kept)].filter((item) => {
    if (!("type" in item)) number += 1;
    // The active context has them all.
    else if (item.type === "pin") return false;
    return isBefore[number - 1] ?? true;
  });
}

/** The id of the topic: of the archive that the context came from, or its own, unless another context has it. */
function ownId(paths: KnownPaths, { contextId, source }: ActiveScan, now: number): string {
  if (source || !exists(archiveFile(paths.archive, contextId))) return contextId;
  // Two may begin with the same line. One that cannot be read is kept as it is.
  const there = findArchive(paths, contextId);
  return there && isStartOf(paths.active, there) ? contextId : newContextId(now);
}

async function replaceActive({ paths }: SwitchScope, scan: ActiveScan, lines: Iterable<string>): Promise<void> {
  makeFolder(paths.contexts);
  await replaceFile(paths.active, newActive(paths.active, scan, lines));
}

function* newActive(active: string, scan: ActiveScan, lines: Iterable<string>): Generator<string> {
  yield* lines;
  // What is pinned belongs to the context that goes.
  const gone = latePins(active, scan.keptFrom, scan);
  for (const text of keptLines(active, scan)) if (!gone.has(text)) yield `${text}\n`;
}
