import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withoutRedacted } from "./archive-file.ts";
import { archivedIds } from "./archive-index.ts";
import { storedFileOf } from "./chat-files.ts";
import { type ChatMessage, formatLine, messageId } from "./chat-line.ts";
import type { ChatPaths } from "./chat-paths.ts";
import { readArchive } from "./read-archive.ts";
import { syncFolder } from "./replace-file.ts";
import { logLines, rewriteLog } from "./rewrite-log.ts";
import { updateArchive } from "./summarise-archive.ts";

/**
 * Removes the bytes of redacted messages from a chat's files [M7]: from transcript, active context and archives, with the
 * pictures that nothing refers to any more and with all that was set aside, since it may hold parts of them. Called while
 * the chat's lock is held. Gives the number of messages removed.
 */
export async function purgeChat(paths: ChatPaths, chatKey: string, redacted: ReadonlySet<string>): Promise<number> {
  if (redacted.size === 0) return 0;
  let removed = 0;
  for (const file of [paths.transcript, paths.active]) {
    if (!existsSync(file)) continue;
    removed += await purgeLog(file, redacted);
    rmSync(`${file}.torn`, { force: true });
  }
  for (const contextId of archivedIds(paths.archive)) {
    const archive = readArchive(paths.archive, contextId, chatKey);
    if (!archive) continue;
    const left = withoutRedacted(archive, redacted);
    if (left === archive) continue;
    removed += archive.messages.length - left.messages.length;
    await updateArchive(paths, chatKey, contextId, () => left);
  }
  rmSync(paths.quarantine, { recursive: true, force: true });
  removeUnusedFiles(paths, chatKey);
  return removed;
}

async function purgeLog(file: string, redacted: ReadonlySet<string>): Promise<number> {
  let removed = 0;
  for (const { line } of logLines(file))
    if (line?.type === "message" && redacted.has(messageId(line.message))) removed += 1;
  if (removed === 0) return 0;
  await rewriteLog(file, ({ line, bytes }) => {
    // A summary may repeat what is to go; the next build decides anew.
    if (line?.type === "compaction") return undefined;
    if (line?.type !== "message") return bytes;
    const entryId = messageId(line.message);
    return redacted.has(entryId) ? formatLine({ type: "redacted", ts: line.message.ts, entryId }) : bytes;
  });
  return removed;
}

function removeUnusedFiles(paths: ChatPaths, chatKey: string): void {
  if (!existsSync(paths.files)) return;
  const used = new Set<string>();
  const note = ({ content }: ChatMessage): void => {
    if (typeof content === "string") return;
    for (const part of content) used.add(storedFileOf(part) ?? "");
  };
  for (const file of [paths.transcript, paths.active]) {
    if (!existsSync(file)) continue;
    for (const { line } of logLines(file)) if (line?.type === "message") note(line.message);
  }
  for (const contextId of archivedIds(paths.archive)) {
    for (const message of readArchive(paths.archive, contextId, chatKey)?.messages ?? []) note(message);
  }
  for (const name of readdirSync(paths.files)) if (!used.has(name)) rmSync(join(paths.files, name));
  syncFolder(paths.files);
}
