import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";
import { type ChatMessage, formatVersion, isContextId } from "../lines/chat-line.ts";
import { textOf } from "../lines/read-window.ts";
import { type Redactions, isRedacted } from "../lines/redactions.ts";
import { shortenText } from "../lines/shorten-text.ts";

/** A working context that was put away. */
export interface Archive {
  readonly contextId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly archivedAt: number;
  readonly archiveReason: string;
  readonly summary?: string | undefined;
  readonly messageCount: number;
  readonly messages: readonly ChatMessage[];
}

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

/** The file's text in pieces, a message to a line. */
export function* formatArchive(
  { messages, ...about }: Omit<Archive, "messages"> & { readonly messages: Iterable<string | ChatMessage> },
  chatKey: string,
): Generator<string> {
  const { contextId, title, createdAt, archivedAt, archiveReason, summary, messageCount } = about;
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
    messageCount,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let separator = "\n";
  for (const message of messages) {
    yield separator + (typeof message === "string" ? message : JSON.stringify({ v: formatVersion, ...message }));
    separator = ",\n";
  }
  yield "\n]}\n";
}

/** The archive as it may be shown: what was redacted is out, and so is a summary or title that may repeat it [M7]. */
export function withoutRedacted(archive: Archive, redactions: Redactions): Archive {
  if (redactions.ids.size === 0) return archive;
  const messages = archive.messages.filter((message) => !isRedacted(message, redactions));
  if (messages.length === archive.messages.length) return archive;
  // Not only from the first one: that may have been redacted already when the title was made.
  const isDerived = archive.messages.some((message) => archive.title === deriveTitle([message]));
  const { summary: _, ...rest } = archive;
  return {
    ...rest,
    title: isDerived ? deriveTitle(messages) : archive.title,
    messageCount: messages.length,
    messages,
  };
}

const maxTitleLength = 60;

/** The start of the first thing that the user said. */
export function deriveTitle(messages: Iterable<ChatMessage>): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = shortenText(textOf(message), maxTitleLength);
    if (text !== "") return text;
  }
  return "Untitled";
}
