import type { Compactor } from "@galley/engine";
import { type Archive, archiveFile, formatArchive } from "./archive-file.ts";
import { toModelMessage } from "../lines/chat-message.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { readArchive } from "./read-archive.ts";
import { replaceFile } from "../../disk/replace-file.ts";

/** Makes a summary of an archive, or gives nothing when there is none that can be used. */
export async function summarise(
  { messages }: Archive,
  compactor: Compactor,
  countTokens: (text: string) => number,
): Promise<string | undefined> {
  const plain = messages.map(toModelMessage);
  const summary = (await compactor.compact({ messages: plain, maxTokens: 300, countTokens })).trim();
  const size = messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  return summary === "" || summary.length >= size ? undefined : summary;
}

/** Replaces an archive by a changed one. */
export async function updateArchive(
  paths: ChatPaths,
  chatKey: string,
  contextId: string,
  change: (archive: Archive) => Archive,
): Promise<Archive | undefined> {
  const archive = readArchive(paths.archive, contextId, chatKey);
  if (!archive) return undefined;
  const changed = change(archive);
  const content = formatArchive({ ...changed, messageCount: changed.messages.length }, chatKey);
  await replaceFile(archiveFile(paths.archive, contextId), content, { folder: paths.contexts });
  return changed;
}
