import { existsSync } from "node:fs";
import { archivedIds } from "./archive-index.ts";
import { messageId } from "../lines/chat-line.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { findArchive } from "./read-archive.ts";
import { logLines } from "../lines/rewrite-log.ts";

/** Whether a chat holds a message anywhere. It looks at all of it. */
export function hasMessage(paths: ChatPaths, chatKey: string, id: string): boolean {
  for (const file of [paths.active, paths.transcript]) {
    if (!existsSync(file)) continue;
    for (const { line } of logLines(file)) if (line?.type === "message" && messageId(line.message) === id) return true;
  }
  return archivedIds(paths.archive).some((contextId) =>
    findArchive(paths.archive, contextId, chatKey)?.messages.some((message) => messageId(message) === id),
  );
}
