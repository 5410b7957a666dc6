import { GalleyError } from "@galley/engine";
import { type ArchiveItem, archivedIds } from "./archive-index.ts";
import type { SwitchesInput } from "./context-switches.ts";
import { findArchive } from "./read-archive.ts";
import { type Removal, removeStoreCopies } from "../../disk/store-files.ts";
import { type ChatLine, messageId } from "../lines/chat-line.ts";
import type { ChatPaths, KnownPaths } from "../lines/chat-paths.ts";
import { asideId } from "../lines/aside-line.ts";
import { resultId } from "../lines/kept-lines.ts";
import { logLines } from "../lines/log-lines.ts";
import { formatRedaction } from "../lines/redactions.ts";

/** Takes a message out of all that is shown of a chat [M7]. */
export async function redactInChat(
  { dataFolder, paths, index, writer }: SwitchesInput,
  id: string,
  nextTime: () => number,
): Promise<Removal> {
  if (!hasMessage(paths, id)) {
    const hint = "galley chat show lists messages with their ids.";
    throw new GalleyError("NotFound", `The chat holds no message ${id}.`, { path: "messageId", hint });
  }
  const removal = removeStoreCopies(dataFolder);
  const { items } = await index.list();
  const ts = Math.max(nextTime(), lastSummary(paths, items) + 1);
  await writer.appendLine("redactions", formatRedaction(id, ts));
  // Nothing of it stays in `index.json` either.
  await index.list();
  return removal;
}

/** Whether a chat holds a message anywhere. It looks at all of it. */
function hasMessage(paths: KnownPaths, id: string): boolean {
  for (const file of [paths.active, paths.transcript]) {
    for (const { line } of logLines(file)) if (line && holds(line, id)) return true;
  }
  return archivedIds(paths.archive).some((contextId) => {
    const archive = findArchive(paths, contextId);
    return (
      archive?.messages.some((message) => messageId(message) === id) ||
      archive?.kept.some(({ line }) => holds(line, id))
    );
  });
}

function holds(line: ChatLine, id: string): boolean {
  if (line.type === "result") return resultId(line) === id;
  if (line.type === "aside") return asideId(line) === id;
  return (line.type === "message" || line.type === "alternate") && messageId(line.message) === id;
}

const lastTime = 8.64e15;

/**
 * When the newest summary was made or note was given, or something later. A redaction hides all of them from before it, and
 * must come after them also when the clock was set back. A summary in an archive is its first message.
 */
function lastSummary({ active }: ChatPaths, archives: readonly ArchiveItem[]): number {
  let latest = 0;
  const note = (time: number): void => {
    if (time <= lastTime) latest = Math.max(latest, time);
  };
  for (const { createdAt, archivedAt } of archives) note(Math.max(createdAt, archivedAt));
  for (const { line } of logLines(active)) {
    if (line?.type === "decision" || line?.type === "recalled") note(line.ts);
    if (line?.type === "message" && line.message.summaryOf !== undefined) note(line.message.ts);
  }
  return latest;
}
