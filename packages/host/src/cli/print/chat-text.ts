import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { ListResult, LoadResult, NewResult } from "../../chat/contexts/context-types.ts";
import { toModelMessage } from "../../chat/lines/chat-message.ts";
import { localTime } from "../../turn/services/local-time.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { elastic, numbers, onOneLine, previewOf, renderTable, styled } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

export function newText({ archived, kept }: NewResult): string {
  const before = archived
    ? `Put away ${countText(archived.messageCount)} as ${archived.contextId} (${cleanLines(archived.title)}).`
    : "There was nothing to put away.";
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
  const { contextId, title, mode, messageCount } = loaded;
  const lines = [`Loaded ${contextId} (${cleanLines(title)}), ${mode}: ${countText(messageCount)}.`];
  if (archived) lines.push(`Put away ${countText(archived.messageCount)} as ${archived.contextId}.`);
  if (alternatives.length === 0) return `${lines.join("\n")}\n`;
  const table = renderTable(
    ["context", numbers("score"), "title", elastic("found", "dim")],
    alternatives.map((match) => [match.contextId, match.score.toFixed(2), match.title, onOneLine(match.snippet, 80)]),
    terminal,
  );
  return `${lines.join("\n")}\n\n${styleFor(terminal).bold("Other matches")}\n${table}\n`;
}

export function listText({ contexts, total }: ListResult, terminal: Terminal): string {
  if (total === 0) return "No context was put away yet.\n";
  const rows = contexts.map(({ contextId, archivedAt, messageCount, title, summaryPreview }) => [
    contextId,
    localTime(new Date(archivedAt)).slice(0, 16).replace("T", " "),
    String(messageCount),
    title,
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
  readonly isWhole?: boolean;
}

export function showText({ messages, isWhole = true }: Shown, terminal: Terminal): string {
  if (messages.length === 0) return "There are no messages.\n";
  const rows = messages.map((message) => [
    messageId(message),
    localTime(new Date(message.ts)).slice(0, 16).replace("T", " "),
    message.role,
    onOneLine(previewOf(toModelMessage(message)), 200),
  ]);
  const table = renderTable(["message", "time", styled("role", "cyan"), elastic("text")], rows, terminal);
  return `${table}${isWhole ? "" : "\nThere are older ones; --messages shows more."}\n`;
}

/** Says which copies of the store a deletion took away: a person may have counted on them. */
export function removalText(copies: readonly string[]): string {
  return copies.map((file) => `removed ${file}, the store as it was before its migration\n`).join("");
}
