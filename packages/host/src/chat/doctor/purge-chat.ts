import { join } from "node:path";
import { archiveFile, withoutRedacted } from "../contexts/archive-file.ts";
import { archivedIds } from "../contexts/archive-index.ts";
import { storedFilesOf } from "../lines/chat-files.ts";
import { type ChatMessage, formatLine } from "../lines/chat-line.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { findArchive, updateArchive } from "../contexts/read-archive.ts";
import { formatStored, isKeptLine, isLineRedacted, shownItem, storedItem } from "../lines/kept-lines.ts";
import { withoutOldNote, withoutRedactedWords } from "../lines/read-window.ts";
import { type Redactions, isRedacted } from "../lines/redactions.ts";
import { namesIn, readText, removeFiles, removeFolder } from "../../disk/data-files.ts";
import { syncFolder } from "../../disk/private-folder.ts";
import { type Rewrite, logLines, rewriteLog } from "../lines/log-lines.ts";

/**
 * Removes the bytes of redacted messages from a chat's files [M7]: from transcript, active context and archives, with the
 * pictures that nothing refers to any more and with all that was set aside, since it may hold parts of them. Called while
 * the chat's lock is held. Gives the number of messages removed.
 */
export async function purgeChat(paths: KnownPaths, redactions: Redactions): Promise<number> {
  if (redactions.ids.size === 0) return 0;
  let removed = 0;
  for (const file of [paths.transcript, paths.active]) {
    removeFiles(`${file}.torn`);
    removed += await purgeLog(file, redactions);
  }
  for (const contextId of archivedIds(paths.archive)) {
    const archive = findArchive(paths, contextId);
    if (!archive) continue;
    const left = withoutRedacted(archive, redactions);
    if (left === archive) continue;
    removed += archive.messages.length - left.messages.length;
    await updateArchive(paths, contextId, () => left);
  }
  removeFolder(paths.quarantine);
  removeUnusedFiles(paths);
  return removed;
}

async function purgeLog(file: string, redactions: Redactions): Promise<number> {
  let removed = 0;
  let isRepeated = false;
  for (const { line } of logLines(file))
    if (line?.type === "message" && isRedacted(line.message, redactions)) removed += 1;
    else if (line && isKeptLine(line) && isLineRedacted(line, redactions)) removed += 1;
    else if (line?.type === "transcript") isRepeated = withoutRedactedWords(line, redactions) !== line;
    else if (line?.type === "recalled") isRepeated = withoutOldNote(line, redactions) !== line;
  if (removed === 0 && !isRepeated) return 0;
  const rewrite: Rewrite = ({ line, bytes }) => {
    // A summary may repeat what is to go; the next build decides again.
    if (line?.type === "decision") return undefined;
    if (line?.type === "transcript") return formatLine(withoutRedactedWords(line, redactions));
    const item = storedItem(line);
    const shown = shownItem(item, redactions);
    if (shown === item) return bytes;
    return shown && formatStored(shown);
  };
  await rewriteLog(file, rewrite, (line) => withoutOldNote(line, redactions));
  return removed;
}

function removeUnusedFiles(paths: KnownPaths): void {
  const used = new Set<string>();
  const note = (message: ChatMessage): void => storedFilesOf(message).forEach((name) => used.add(name));
  /** What cannot be read may be mended by hand: the files that it names stay. */
  const noteNames = (text: string): void => {
    for (const [name] of text.matchAll(/[0-9a-f]{64}\.[a-z0-9]{1,4}/g)) used.add(name);
  };
  for (const file of [paths.transcript, paths.active]) {
    for (const { line, bytes } of logLines(file)) {
      if (line?.type === "message" || line?.type === "alternate") note(line.message);
      else if (line?.type === "pin" && line.message) note(line.message);
      else if (!line) noteNames(bytes.toString("latin1"));
    }
  }
  for (const contextId of archivedIds(paths.archive)) {
    const archive = findArchive(paths, contextId);
    archive?.kept.forEach(({ line }) => line.type === "alternate" && note(line.message));
    if (archive) archive.messages.forEach(note);
    else noteNames(readText(archiveFile(paths.archive, contextId)) ?? "");
  }
  const unused = namesIn(paths.files).filter((name) => !used.has(name));
  removeFiles(...unused.map((name) => join(paths.files, name)));
  if (unused.length > 0) syncFolder(paths.files);
}
