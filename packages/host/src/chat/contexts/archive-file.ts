import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";
import { onOneLine } from "../../limits/short-text.ts";
import { type ChatMessage, formatVersion, isContextId } from "../lines/chat-line.ts";
import { textOf } from "../lines/read-window.ts";
import { type Kept, type StoredItem, formatStored, interleave, shownItem, splitItems } from "../lines/kept-lines.ts";
import type { Redactions } from "../lines/redactions.ts";

/** A working context that was put away. */
export interface Archive {
  readonly contextId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly archivedAt: number;
  readonly archiveReason: string;
  readonly summary?: string | undefined;
  /** What to remember, in the words of the one who put it away [A7]; an archive may consist of it alone. */
  readonly note?: string | undefined;
  /** The notes that it replaced, newest first. */
  readonly earlierNotes?: readonly string[] | undefined;
  readonly messageCount: number;
  readonly messages: readonly ChatMessage[];
  /** Typed lines between them, which plain readers skip; `at` is the number of messages before a line [V5]. */
  readonly kept: readonly Kept[];
}

/** How many messages `recent` recalls [W4]. */
export const recentMessages = 12;

/** A new id [W7]. */
export function newContextId(now: number): string {
  return `c_${dayOf(now)}_${randomBytes(5).toString("hex")}`;
}

/** The day in an id; a time that no calendar has is taken for the first one. */
export function dayOf(time: number): string {
  return isoTime(time).slice(0, 10).replaceAll("-", "");
}

export function isoTime(time: number): string {
  const date = new Date(time);
  // Years beyond 9999 are written in another way.
  return (date.getTime() >= 0 && date.getTime() < 253_402_300_800_000 ? date : new Date(0)).toISOString();
}

/** Refuses everything that is not an id, paths above all. */
export function checkContextId(contextId: string): string {
  if (isContextId(contextId)) return contextId;
  throw new GalleyError(
    "ContextInvalidInput",
    `${JSON.stringify(contextId.slice(0, 80))} is not the id of a context.`,
    {
      path: "contextId",
      hint: "Ids look like c_20260205_1f4c09ab2d; chat_context_list shows them.",
    },
  );
}

export function archiveFile(folder: string, contextId: string): string {
  return join(folder, `${checkContextId(contextId)}.json`);
}

/** The file's text in pieces, a message or a typed line to a line. */
export function* formatArchive(
  { lines, ...about }: Omit<Archive, "messages" | "kept"> & { readonly lines: Iterable<string | StoredItem> },
  chatKey: string,
): Generator<string> {
  const { contextId, title, createdAt, archivedAt, archiveReason, summary, messageCount } = about;
  const { note, earlierNotes } = about;
  const head = {
    v: formatVersion,
    contextId,
    chatKey,
    title,
    status: "archived",
    createdAt,
    archivedAt,
    archiveReason,
    summary,
    note,
    earlierNotes,
    messageCount,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let separator = "\n";
  for (const line of lines) {
    yield separator + (typeof line === "string" ? line : formatStored(line).trimEnd());
    separator = ",\n";
  }
  yield "\n]}\n";
}

/** The archive as it may be shown: what was redacted is out, and so is a summary, note or title that may repeat it [M7]. */
export function withoutRedacted(archive: Archive, redactions: Redactions): Archive {
  if (redactions.ids.size === 0) return archive;
  let isChanged = false;
  const items = [...interleave(archive.messages, archive.kept)].flatMap((item) => {
    const shown = shownItem(item, redactions);
    isChanged ||= shown !== item;
    return shown ?? [];
  });
  if (!isChanged) return archive;
  const { messages, kept } = splitItems(items);
  // What was redacted before a note, that note cannot know.
  const { note: _note, earlierNotes: _earlier, ...withoutNotes } = archive;
  const shown = archive.archivedAt <= redactions.latest ? withoutNotes : archive;
  // Not only from the first one: that may have been redacted already when the title was made.
  const isDerived = archive.messages.some((message) => archive.title === deriveTitle([message]));
  const { summary: _, ...rest } = shown as Archive;
  return {
    ...rest,
    title: isDerived ? deriveTitle(messages) : archive.title,
    messageCount: messages.length,
    messages,
    kept,
  };
}

type Notes = Pick<Archive, "note" | "earlierNotes">;

/** In characters. */
export const maxNoteLength = 20_000;

/** How many notes that were replaced an archive keeps. */
const maxEarlierNotes = 20;

/** The notes of an archive after a new one was given; nothing is lost when that is shorter. */
export function nextNotes({ note: before, earlierNotes = [] }: Notes, note: string | undefined): Notes {
  if (note === undefined && before === undefined) return {};
  const isNew = note !== undefined && note !== before && before !== undefined;
  const earlier = isNew ? [before, ...earlierNotes].slice(0, maxEarlierNotes) : earlierNotes;
  return { note: note ?? before, ...(earlier.length === 0 ? {} : { earlierNotes: earlier }) };
}

/** What a list shows of an archive's content. */
export function previewText({ note, summary = "" }: Pick<Archive, "note" | "summary">): string {
  return note ?? summary;
}

const maxTitleLength = 60;

/** The start of a note, for an archive that was given no title. */
export function titleOfNote(note: string): string {
  return onOneLine(note, maxTitleLength);
}

/** The start of the first thing that the user said. */
export function deriveTitle(messages: Iterable<ChatMessage>, otherwise = "Untitled"): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = onOneLine(textOf(message), maxTitleLength);
    if (text !== "") return text;
  }
  return otherwise;
}
