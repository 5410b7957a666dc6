import { GalleyError, type Language } from "@galley/engine";
import {
  type Archive,
  archiveFile,
  deriveTitle,
  formatArchive,
  newContextId,
  withoutRedacted,
} from "./archive-file.ts";
import { type ChatMessage, type RecallMode, type RecalledLine, formatLine, formatMessage } from "../lines/chat-line.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { findArchive, readArchive } from "./read-archive.ts";
import { exists } from "../../disk/data-files.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { makeFolder } from "../../disk/private-folder.ts";
import { type ActiveScan, type SwitchScope, isStartOf, messageLines, scanActive } from "./scan-active.ts";

/** An archive that a switch has made. */
export interface ArchivedContext {
  readonly contextId: string;
  readonly title: string;
  readonly messageCount: number;
}

/**
 * Puts the active context away and starts one that holds only what is unanswered. The archive is durable before the active
 * file is replaced, and that replacement is the moment at which the switch has happened: a crash before it leaves the old
 * context active, with an archive that the next switch recognises as its own.
 */
export async function startContext(
  scope: SwitchScope,
  { title, reason }: { readonly title?: string | undefined; readonly reason?: string | undefined },
): Promise<{ readonly archived?: ArchivedContext; readonly kept: number }> {
  const scan = scanActive(scope);
  const archived = await archiveActive(scope, scan, { title, reason: reason ?? "new" });
  await replaceActive(scope, scan, []);
  return { archived, kept: scan.messageCount - scan.keptFrom };
}

/** Makes an archived context the active one, after the present one was put away. */
export async function recallContext(
  scope: SwitchScope,
  { contextId, mode, language }: { readonly contextId: string; readonly mode: RecallMode; readonly language: Language },
): Promise<{ readonly archived?: ArchivedContext; readonly recalled: RecalledLine; readonly title: string }> {
  const { paths, chatKey, now, redactions } = scope;
  const found = readArchive(paths.archive, contextId, chatKey);
  if (!found) throw unknownContext(contextId);
  const archive = withoutRedacted(found, redactions);
  const messages = recalledMessages(archive, mode, now);
  const recalled: RecalledLine = {
    type: "recalled",
    ts: now,
    contextId: newContextId(now),
    from: contextId,
    mode,
    messageCount: messages.length,
    language,
  };
  const scan = scanActive(scope);
  const archived = await archiveActive(scope, scan, { title: undefined, reason: "load" });
  await replaceActive(scope, scan, recalledLines(recalled, messages));
  return { archived, recalled, title: archive.title };
}

/** Empties the active context without an archive; what is unanswered stays [W6]. */
export async function clearContext(scope: SwitchScope): Promise<{ readonly removed: number; readonly kept: number }> {
  const scan = scanActive(scope);
  await replaceActive(scope, scan, []);
  return { removed: scan.keptFrom, kept: scan.messageCount - scan.keptFrom };
}

const recentMessages = 12;

function recalledMessages(
  { contextId, messages, summary }: Archive,
  mode: RecallMode,
  now: number,
): readonly ChatMessage[] {
  if (mode === "full") return messages;
  if (mode === "summary" && summary !== undefined)
    return [{ ts: now, role: "assistant", content: summary, summaryOf: contextId }];
  return messages.slice(-recentMessages);
}

function* recalledLines(recalled: RecalledLine, messages: readonly ChatMessage[]): Generator<string> {
  yield formatLine(recalled);
  for (const message of messages) yield formatMessage(message);
}

async function archiveActive(
  { paths, chatKey, now, redactions }: SwitchScope,
  scan: ActiveScan,
  { title, reason }: { readonly title: string | undefined; readonly reason: string },
): Promise<ArchivedContext | undefined> {
  const { archivedCount: messageCount, createdAt } = scan;
  if (messageCount === 0) return undefined;
  const contextId = ownId(paths, chatKey, scan, now);
  /** A context that was recalled and has grown is still about the same. */
  const sourceTitle = (): string | undefined => {
    const found = scan.recalled && findArchive(paths.archive, scan.recalled.from, chatKey);
    const source = found && withoutRedacted(found, redactions);
    // A title out of a message that was not recalled would outlive its redaction.
    const isForeign = scan.recalled?.mode !== "full" && source?.title === deriveTitle(source?.messages ?? []);
    return isForeign ? undefined : source?.title;
  };
  const about = {
    contextId,
    title: title || sourceTitle() || scan.title,
    createdAt,
    archivedAt: now,
    archiveReason: reason,
    messageCount,
  };
  makeFolder(paths.archive);
  const content = formatArchive({ ...about, messages: messageLines(paths.active, 0, messageCount) }, chatKey);
  await replaceFile(archiveFile(paths.archive, contextId), content, { folder: paths.contexts });
  return { contextId, title: about.title, messageCount };
}

/** The context's own id, unless another context has it: two may begin with the same line. */
function ownId(paths: ChatPaths, chatKey: string, { contextId }: ActiveScan, now: number): string {
  if (!exists(archiveFile(paths.archive, contextId))) return contextId;
  const there = findArchive(paths.archive, contextId, chatKey);
  return there && isStartOf(paths.active, there) ? contextId : newContextId(now);
}

async function replaceActive({ paths }: SwitchScope, scan: ActiveScan, lines: Iterable<string>): Promise<void> {
  makeFolder(paths.contexts);
  await replaceFile(paths.active, newActive(paths.active, scan, lines));
}

function* newActive(active: string, scan: ActiveScan, lines: Iterable<string>): Generator<string> {
  yield* lines;
  for (const text of messageLines(active, scan.keptFrom, scan.messageCount)) yield `${text}\n`;
}

export function unknownContext(contextId: string): GalleyError {
  return new GalleyError("NotFound", `There is no archived context ${contextId}.`, {
    path: "contextId",
    hint: "chat_context_list (galley chat list) shows those that are there.",
  });
}
