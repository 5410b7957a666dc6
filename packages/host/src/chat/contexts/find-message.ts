import { archivedIds } from "./archive-index.ts";
import { findArchive } from "./read-archive.ts";
import { messageId } from "../lines/chat-line.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { logLines } from "../lines/log-lines.ts";

/**
 * Where a message of a chat stands: in the active context (`cut` where a branch is about to leave it behind), in one that was
 * put away, or in the transcript at most.
 */
export type MessagePlace = "active" | "cut" | { readonly title: string } | undefined;

/** Looks at the active context first, and at the archives only if it must: the newest one is looked at first. */
export function findMessage(paths: KnownPaths, id: string, cutFrom?: string): MessagePlace {
  let place: MessagePlace = "active";
  for (const { line } of logLines(paths.active)) {
    const found = line?.type === "message" ? messageId(line.message) : undefined;
    if (found !== undefined && found === cutFrom) place = "cut";
    if (found === id) return place;
  }
  for (const contextId of archivedIds(paths.archive).toSorted().toReversed()) {
    const archive = findArchive(paths, contextId);
    if (archive?.messages.some((message) => messageId(message) === id)) return { title: archive.title };
  }
  return undefined;
}
