import { activePath } from "../model/active-path.ts";
import type { CompactionEntry, MessageEntry, SessionEntry } from "../model/entries.ts";
import type { Problem } from "../model/errors.ts";
import { redactMessage } from "./redact-message.ts";

/** What a session says now: the one way in which its log is read [M5]. */
export interface SessionView {
  /** The compaction in force. */
  readonly compaction: CompactionEntry | undefined;
  /** The messages that are still sent in full, oldest first. */
  readonly messages: readonly MessageEntry[];
  /** How many messages lie behind the compaction. */
  readonly behind: number;
  /** Ids of messages whose content was taken out [M7]; nothing of them is left. */
  readonly redacted: readonly string[];
  readonly problems: readonly Problem[];
}

export interface ViewOptions {
  /** The last entry of the branch to read; by default the last entry of the log. */
  readonly leafId?: string;
}

/** Reads a session: the last compaction's summary, what it kept, then everything after it. */
export function view(entries: readonly SessionEntry[], { leafId }: ViewOptions = {}): SessionView {
  const path = activePath(entries, leafId);
  const at = path.entries.findLastIndex((entry) => entry.type === "compaction");
  const compaction = path.entries[at];
  const problems = [...path.problems];
  const from = compaction?.type === "compaction" ? firstKept(path.entries, compaction, at, problems) : 0;
  const erased = new Set(entries.flatMap((entry) => (entry.type === "redact" ? entry.entryId : [])));
  const redacted: string[] = [];
  const messages: MessageEntry[] = [];
  for (const entry of path.entries.slice(from)) {
    if (entry.type !== "message") continue;
    const message = erased.has(entry.id) ? redactMessage(entry.message) : entry.message;
    if (message) messages.push(message === entry.message ? entry : { ...entry, message });
    else redacted.push(entry.id);
  }
  const behind = path.entries.slice(0, from).filter((entry) => entry.type === "message").length;
  return {
    compaction: compaction?.type === "compaction" ? compaction : undefined,
    messages,
    behind,
    redacted,
    problems,
  };
}

function firstKept(
  path: readonly SessionEntry[],
  { id, firstKeptEntryId }: CompactionEntry,
  at: number,
  problems: Problem[],
): number {
  if (firstKeptEntryId === null) return at;
  const index = path.findIndex((entry) => entry.id === firstKeptEntryId);
  if (index >= 0 && index < at) return index;
  problems.push({
    severity: "warning",
    code: "UnknownReference",
    message: `The compaction ${JSON.stringify(id)} keeps from ${JSON.stringify(firstKeptEntryId)}, which does not come before it.`,
    path: id,
    hint: "Everything before the compaction is taken as summarised; check whether the file is whole.",
  });
  return at;
}
