import { existsSync } from "node:fs";
import type { ArchiveItem } from "./archive-index.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { logLines } from "../lines/rewrite-log.ts";

/** The last time that a calendar has. */
const lastTime = 8.64e15;

/**
 * When the newest summary was made, or something later. A redaction hides all summaries from before it, and must come after
 * them also when the clock was set back. One in an archive is its first message.
 */
export function lastSummary({ active }: ChatPaths, archives: readonly ArchiveItem[]): number {
  let latest = 0;
  const note = (time: number): void => {
    if (time <= lastTime) latest = Math.max(latest, time);
  };
  for (const { createdAt } of archives) note(createdAt);
  if (!existsSync(active)) return latest;
  for (const { line } of logLines(active)) {
    if (line?.type === "decision") note(line.ts);
    if (line?.type === "message" && line.message.summaryOf !== undefined) note(line.message.ts);
  }
  return latest;
}
