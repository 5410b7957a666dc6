import { listCheck } from "../../model/check/input.ts";
import { checkEntry } from "./check-entry.ts";
import type { CompactionEntry, SessionEntry } from "../../model/entries.ts";
import { hashId } from "../../model/entry-ids.ts";
import { GalleyError } from "../../model/check/errors.ts";
import { headLength, isMessageEntry } from "../../model/message-entry.ts";
import { repeatsOf } from "./repeats.ts";

/** The compactions that have not been undone, the oldest first: the last one is in force, and the next to be undone [F15]. */
export function standingCompactions(log: readonly SessionEntry[]): readonly CompactionEntry[] {
  listCheck((entry) => checkEntry(entry, log))(log, "entries");
  return standingIn(log);
}

function standingIn(log: readonly SessionEntry[]): readonly CompactionEntry[] {
  const isRepeat = repeatsOf(log);
  const compactions = log.filter(
    (entry, index): entry is CompactionEntry => entry.type === "compaction" && !isRepeat(index),
  );
  const undone = new Set(compactions.map((entry) => entry.undoes));
  return compactions.filter((entry) => entry.undoes === undefined && !undone.has(entry.id));
}

/**
 * The entry that undoes the newest compaction that has not been undone [F15]: it puts back what the one before had decided,
 * or everything where there was none. Nothing was deleted, so that nothing has to be restored.
 */
export function undoCompaction(log: readonly SessionEntry[], now?: string): CompactionEntry {
  listCheck((entry) => checkEntry(entry, log))(log, "entries");
  const isRepeat = repeatsOf(log);
  const entries = log.filter((_, index) => !isRepeat(index));
  const standing = standingIn(entries);
  const last = standing.at(-1);
  if (!last) throw new GalleyError("NotFound", "The session has no compaction to undo.", { path: "entries" });
  const tail = entries.at(-1);
  const { id: _, ts: _ts, parentId: _parent, ...before } = standing.at(-2) ?? fromTheStart(entries);
  const runtimeInit = entries.findLast((entry) => entry.type === "runtime-init")?.data ?? last.runtimeInit;
  const { sticky, cooldown } = entries.findLast((entry) => entry.type === "activation") ?? last.activation ?? {};
  return {
    ...before,
    ...(runtimeInit ? { runtimeInit } : {}),
    ...(sticky && cooldown ? { activation: { ...before.activation, sticky, cooldown } } : {}),
    id: hashId("c", ["undo", tail?.id ?? null, last.id]),
    ts: now ?? tail?.ts ?? 0,
    undoes: last.id,
  };
}

function fromTheStart(entries: readonly SessionEntry[]): CompactionEntry {
  const messages = entries.filter(isMessageEntry);
  const head = headLength(messages);
  const nothing = { count: 0, tokens: 0 };
  return {
    id: "",
    ts: 0,
    type: "compaction",
    firstKeptEntryId: messages[head]?.id ?? null,
    ...(head > 0 ? { carried: messages.slice(0, head) } : {}),
    summarised: nothing,
    dropped: nothing,
  };
}
