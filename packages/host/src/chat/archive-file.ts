import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GalleyError, parseJson } from "@galley/engine";
import * as z from "zod";
import { type ChatMessage, formatVersion, messageId, newerError, parseChatLine } from "./chat-line.ts";
import { textOf } from "./read-window.ts";
import { shortenText } from "./shorten-text.ts";
import { storageError } from "./storage-error.ts";

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

const idPattern = /^c_\d{8}_[A-Za-z0-9_-]{1,64}$/;

const archiveSchema = z.looseObject({
  v: z.number(),
  contextId: z.string(),
  chatKey: z.string().optional(),
  title: z.string().default(""),
  createdAt: z.number().optional(),
  archivedAt: z.number(),
  archiveReason: z.string().default(""),
  summary: z.string().optional(),
  messages: z.array(z.unknown()),
});

/** A new id [W7]. */
export function newContextId(now: number): string {
  const day = new Date(now).toISOString().slice(0, 10).replaceAll("-", "");
  return `c_${day}_${randomBytes(5).toString("hex")}`;
}

export function isContextId(text: string): boolean {
  return idPattern.test(text);
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

/** Reads an archive of this chat; nothing when there is none. */
export function readArchive(folder: string, contextId: string, chatKey: string): Archive | undefined {
  const file = archiveFile(folder, contextId);
  if (!existsSync(file)) return undefined;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw storageError(cause, file, "read");
  }
  try {
    return parseArchive(text, contextId, chatKey);
  } catch (cause) {
    if (cause instanceof GalleyError && cause.code === "DataNewer") throw cause;
    const detail = cause instanceof z.ZodError ? "it does not have the fields of an archive" : messageOf(cause);
    throw new GalleyError("DataDamaged", `${file} cannot be used: ${detail.replace(/\.?$/, ".")}`, {
      path: file,
      hint: "galley doctor --fix moves it to quarantine and keeps all others.",
      cause,
    });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function parseArchive(text: string, contextId: string, chatKey: string): Archive {
  const value = archiveSchema.parse(parseJson(text, { what: "archive" }));
  if (value.v > formatVersion) throw newerError(value.v);
  if (value.contextId !== contextId) throw new Error(`it says that it is ${JSON.stringify(value.contextId)}`);
  if (value.chatKey !== undefined && value.chatKey !== chatKey) throw new Error("it belongs to another chat");
  const messages = value.messages.flatMap((item) => {
    const line = parseChatLine(JSON.stringify({ v: formatVersion, ...(item as object) }));
    return line.type === "message" ? [line.message] : [];
  });
  return {
    contextId,
    title: value.title || deriveTitle(messages),
    createdAt: value.createdAt ?? messages[0]?.ts ?? value.archivedAt,
    archivedAt: value.archivedAt,
    archiveReason: value.archiveReason,
    ...(value.summary === undefined ? {} : { summary: value.summary }),
    messageCount: messages.length,
    messages,
  };
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
    ...(summary === undefined ? {} : { summary }),
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
export function withoutRedacted(archive: Archive, redacted: ReadonlySet<string>): Archive {
  if (redacted.size === 0) return archive;
  const messages = archive.messages.filter((message) => !redacted.has(messageId(message)));
  if (messages.length === archive.messages.length) return archive;
  const isDerived = archive.title === deriveTitle(archive.messages);
  const { summary: _, ...rest } = archive;
  return {
    ...rest,
    title: isDerived ? deriveTitle(messages) : archive.title,
    messageCount: messages.length,
    messages,
  };
}

const longestTitle = 60;

/** The start of the first thing that the user said. */
export function deriveTitle(messages: Iterable<ChatMessage>): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = shortenText(textOf(message), longestTitle);
    if (text !== "") return text;
  }
  return "Untitled";
}
