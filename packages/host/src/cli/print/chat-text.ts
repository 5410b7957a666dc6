import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { ListResult, LoadResult, NewInput, NewResult } from "../../chat/contexts/context-types.ts";
import type { Alternate } from "../../chat/contexts/alternates.ts";
import { textOf } from "../../chat/lines/read-window.ts";
import { toModelMessage } from "../../chat/lines/chat-message.ts";
import { asideId } from "../../chat/lines/aside-line.ts";
import { type Kept, interleave, resultId } from "../../chat/lines/kept-lines.ts";
import type { ChatItem, FoundMessage } from "../../turn/services/galley-ports.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { elastic, numbers, onOneLine, previewOf, renderTable, styled, timeText } from "../terminal/table.ts";
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
  const table = renderTable(
    ["context", numbers("score"), "title", elastic("found", "dim")],
    alternatives.map((match) => [match.contextId, match.score.toFixed(2), match.title, onOneLine(match.snippet, 80)]),
    terminal,
  );
  return `${lines.join("\n")}\n\n${styleFor(terminal).bold("Other matches")}\n${table}\n`;
}

export function alternatesText(alternates: readonly Alternate[], terminal: Terminal): string {
  if (alternates.length === 0) return "No answer of the active context was regenerated.\n";
  const rows = alternates.map(({ id, of, message, isStopped }) => [
    id,
    of,
    onOneLine(`${isStopped ? "(stopped) " : ""}${textOf(message)}`, 200),
  ]);
  return `${renderTable(["answer", "question", elastic("text")], rows, terminal)}\n`;
}

export function listText({ contexts, total }: ListResult, terminal: Terminal): string {
  if (total === 0) return "No context was put away yet.\n";
  const rows = contexts.map(({ contextId, archivedAt, messageCount, title, summaryPreview, copies = [] }) => [
    contextId,
    timeText(archivedAt),
    String(messageCount),
    copies.length === 0 ? title : `${title} (${copies.length} older)`,
    summaryPreview,
  ]);
  const table = renderTable(
    ["context", "put away", numbers("messages"), "title", elastic("summary", "dim")],
    rows,
    terminal,
  );
  const rest = total > contexts.length ? `\n${total - contexts.length} more; --limit shows them.` : "";
  return `${table}${rest}\n`;
}

interface Shown {
  readonly messages: readonly ChatMessage[];
  /** The lines between them, of which results of tasks are shown: the model reads them as well [A1]. */
  readonly kept?: readonly Kept[];
  readonly isWhole?: boolean;
  /** What was to be remembered of an archive. */
  readonly note?: string | undefined;
}

export function showText({ messages, kept = [], isWhole = true, note }: Shown, terminal: Terminal): string {
  const before = note === undefined ? "" : `${cleanLines(note)}\n\n`;
  if (messages.length === 0) return `${before}There are no messages.\n`;
  const results = kept.filter(({ line }) => line.type === "result" || line.type === "aside");
  const rows = [...interleave(messages, results)].flatMap((item) => {
    const time = timeText(item.ts);
    if (!("type" in item)) {
      const role = item.said?.by === undefined ? item.role : `${item.role} ${onOneLine(item.said.by, 30)}`;
      return [[messageId(item), time, role, onOneLine(previewOf(toModelMessage(item)), 200)]];
    }
    if (item.type === "aside")
      return [[asideId(item), time, item.isHidden ? "hidden" : item.role, onOneLine(item.content, 200)]];
    return item.type === "result" ? [[resultId(item), time, item.type, onOneLine(item.content, 200)]] : [];
  });
  const table = renderTable(["message", "time", styled("role", "cyan"), elastic("text")], rows, terminal);
  return `${before}${table}${isWhole ? "" : "\nThere are older ones; --messages shows more."}\n`;
}

/** Says which copies of the store a deletion took away: a person may have counted on them. */
export function removalText(copies: readonly string[]): string {
  return copies.map((file) => `removed ${file}, the store as it was before its migration\n`).join("");
}

/** Chats as a table, the one that was used last first. */
export function chatsText(chats: readonly ChatItem[], data: string, terminal: Terminal): string {
  if (chats.length === 0) return `${data} has no chat yet; galley chat add or galley run begins one.\n`;
  const rows = chats.map(({ key, updatedAt, contexts, title, preview }) => [
    key,
    String(contexts),
    new Date(updatedAt).toISOString(),
    onOneLine(title, 40),
    onOneLine(preview, 60),
  ]);
  const columns = ["chat", numbers("contexts"), styled("updated", "dim"), "title", elastic("last said", "dim")];
  return `${renderTable(columns, rows, terminal)}\n`;
}

export function foundText(found: readonly FoundMessage[], terminal: Terminal): string {
  if (found.length === 0) return "No message has all of these words.\n";
  const rows = found.map(({ chat, contextId = "", messageId: id = "", snippet }) => [chat, contextId, id, snippet]);
  return `${renderTable(["chat", "put away in", "message", elastic("text")], rows, terminal)}\n`;
}

export function forkText({ key, messageCount }: { readonly key: string; readonly messageCount: number }): string {
  return `The chat ${key} begins with ${countText(messageCount)}. To go on with it: galley run --chat ${key}\n`;
}
