import { onOneLine } from "../../limits/short-text.ts";
import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { ListResult, LoadResult, NewInput, NewResult } from "../../chat/contexts/context-types.ts";
import type { Alternate } from "../../chat/contexts/alternates.ts";
import { textOf } from "../../chat/lines/read-window.ts";
import { toModelMessage } from "../../chat/lines/chat-message.ts";
import { asideId } from "../../chat/lines/aside-line.ts";
import { type Kept, interleave, resultId } from "../../chat/lines/kept-lines.ts";
import type { ChatItem, FoundMessage } from "../../turn/services/galley-ports.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { elastic, listText, numbers, previewOf, renderTable, styled, timeText } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

export function newText({ archived, kept }: NewResult, { note, contextId }: NewInput): string {
  const named = archived && `${archived.contextId} (${cleanLines(archived.title)})`;
  if (contextId !== undefined && archived) return `The note is kept with ${named}.\n`;
  const what = note && archived?.messageCount === 0 ? "the note" : countText(archived?.messageCount ?? 0);
  const before = archived ? `Put away ${what} as ${named}.` : "There was nothing to put away.";
  return `${before} A new context has begun${kept > 0 ? ` with ${unanswered(kept)}` : ""}.\n`;
}

export function clearText({ removed, kept }: { readonly removed: number; readonly kept: number }): string {
  return `Removed ${countText(removed)} from the active context${kept > 0 ? `; it goes on with ${unanswered(kept)}` : ""}.\n`;
}

function countText(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

function unanswered(count: number): string {
  return count === 1
    ? "the last message, which has no answer yet"
    : `the last ${count} messages, which have no answer yet`;
}

export function loadText({ loaded, archived, alternatives }: LoadResult, terminal: Terminal): string {
  if (!loaded) return "No archived context matches; nothing was switched. galley chat list shows what there is.\n";
  const { contextId, title, mode, messageCount, note } = loaded;
  const lines = [`Loaded ${contextId} (${cleanLines(title)}), ${mode}: ${countText(messageCount)}.`];
  if (note !== undefined) lines.push("", cleanLines(note), "");
  if (archived) lines.push(`Put away ${countText(archived.messageCount)} as ${archived.contextId}.`);
  if (alternatives.length === 0) return `${lines.join("\n")}\n`;
  const table = renderTable(alternatives, terminal, {
    context: "contextId",
    score: numbers(({ score }) => score.toFixed(2)),
    title: "title",
    found: elastic(({ snippet }) => onOneLine(snippet, 80), "dim"),
  });
  return `${lines.join("\n")}\n\n${styleFor(terminal).bold("Other matches")}\n${table}\n`;
}

export function alternatesText(alternates: readonly Alternate[], terminal: Terminal): string {
  return listText(alternates, terminal, "No answer of the active context was regenerated.", {
    answer: "id",
    question: "of",
    text: elastic(({ message, isStopped }) => onOneLine(`${isStopped ? "(stopped) " : ""}${textOf(message)}`, 200)),
  });
}

export function contextsText({ contexts, total }: ListResult, terminal: Terminal): string {
  if (total === 0) return "No context was put away yet.\n";
  const rest = total > contexts.length ? `\n${total - contexts.length} more; --limit shows them.` : "";
  return `${renderTable(contexts, terminal, {
    context: "contextId",
    "put away": ({ archivedAt }) => timeText(archivedAt),
    messages: "messageCount",
    title: ({ title, copies = [] }) => (copies.length === 0 ? title : `${title} (${copies.length} older)`),
    summary: elastic("summaryPreview", "dim"),
  })}${rest}\n`;
}

interface Shown {
  readonly messages: readonly ChatMessage[];
  /** The lines between them, of which results of tasks are shown: the model reads them as well [A1]. */
  readonly kept?: readonly Kept[];
  readonly isWhole?: boolean;
  /** What was to be remembered of an archive. */
  readonly note?: string | undefined;
}

interface ShownLine {
  readonly id: string;
  readonly ts: number;
  readonly role: string;
  readonly text: string;
}

export function showText({ messages, kept = [], isWhole = true, note }: Shown, terminal: Terminal): string {
  const before = note === undefined ? "" : `${cleanLines(note)}\n\n`;
  if (messages.length === 0) return `${before}There are no messages.\n`;
  const results = kept.filter(({ line }) => line.type === "result" || line.type === "aside");
  const rows = [...interleave(messages, results)].flatMap((item): readonly ShownLine[] => {
    const { ts } = item;
    if (!("type" in item)) {
      const role = item.said?.by === undefined ? item.role : `${item.role} ${onOneLine(item.said.by, 30)}`;
      return [{ id: messageId(item), ts, role, text: previewOf(toModelMessage(item)) }];
    }
    if (item.type === "aside")
      return [{ id: asideId(item), ts, role: item.isHidden ? "hidden" : item.role, text: item.content }];
    return item.type === "result" ? [{ id: resultId(item), ts, role: item.type, text: item.content }] : [];
  });
  const table = renderTable(rows, terminal, {
    message: "id",
    time: ({ ts }) => timeText(ts),
    role: styled("cyan", "role"),
    text: elastic(({ text }) => onOneLine(text, 200)),
  });
  return `${before}${table}${isWhole ? "" : "\nThere are older ones; --messages shows more."}\n`;
}

/** Says which copies of the store a deletion took away: a person may have counted on them. */
export function removalText(copies: readonly string[]): string {
  return copies.map((file) => `removed ${file}, the store as it was before its migration\n`).join("");
}

/** Chats as a table, the one that was used last first. */
export function chatsText(chats: readonly ChatItem[], data: string, terminal: Terminal): string {
  const whenEmpty = `${data} has no chat yet; galley chat add or galley run begins one.`;
  return listText(chats, terminal, whenEmpty, {
    chat: "key",
    contexts: "contexts",
    updated: styled("dim", ({ updatedAt }) => new Date(updatedAt).toISOString()),
    title: ({ title }) => onOneLine(title, 40),
    "last said": elastic(({ preview }) => onOneLine(preview, 60), "dim"),
  });
}

export function foundText(found: readonly FoundMessage[], terminal: Terminal): string {
  return listText(found, terminal, "No message has all of these words.", {
    chat: "chat",
    "put away in": "contextId",
    message: "messageId",
    text: elastic("snippet"),
  });
}

export function forkText({ key, messageCount }: { readonly key: string; readonly messageCount: number }): string {
  return `The chat ${key} begins with ${countText(messageCount)}. To go on with it: galley run --chat ${key}\n`;
}
