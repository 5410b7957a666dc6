import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { isSystemMessage } from "../../model/session-head.ts";
import { tallyOf } from "./measure.ts";
import type { Beyond, Reach } from "./reach.ts";

/** The entries of a branch, gathered from its end. Messages that are out of reach are only counted. */
export interface ActivePath {
  add(entry: SessionEntry, isErased: boolean): void;
  /** Where messages of a log that merely follow each other are out of reach, the index of the entry before them. */
  skip(entries: readonly SessionEntry[], from: number, erased: ReadonlySet<string>): number;
  /** How many entries it has without those that were only counted. */
  readonly length: number;
  compactionId(): string | undefined;
  /** Oldest first. Nothing when messages were passed over that a build could reach after all. */
  finish(): FinishedPath | undefined;
}

interface FinishedPath {
  readonly path: readonly SessionEntry[];
  /** What was only counted, if anything was passed over. */
  readonly beyond: Beyond | undefined;
  /** The session's head, where the messages that were passed over begin with it: it is sent all the same [F6]. */
  readonly head: readonly MessageEntry[];
}

export function activePath(reach: Reach | undefined): ActivePath {
  const path: SessionEntry[] = [];
  let isFar = false;
  /** The system messages among those passed over that nothing but system messages stands before, newest first. */
  let oldest: MessageEntry[] = [];
  const compactionId = (): string | undefined => path.find((entry) => entry.type === "compaction")?.id;
  return {
    add(entry, isErased) {
      if (!isFar || governs(entry)) path.push(entry);
      if (!reach || entry.type !== "message") return;
      if (!isFar) {
        if (!isErased) isFar = reach.take(entry);
        return;
      }
      reach.pass(entry, isErased);
      if (!isSystemMessage(entry)) oldest = [];
      else if (!isErased) oldest.push(entry);
    },
    skip(entries, from, erased) {
      if (!isFar || !reach) return from;
      const before = reach.passRun(entries, from, erased);
      // The run holds messages only. It is looked at from its old end, because it may be the whole of a long log.
      let end = before + 1;
      while (end <= from && isSystemMessage(entries[end] as MessageEntry)) end += 1;
      if (end <= from) oldest = [];
      for (let index = end - 1; index > before; index -= 1) oldest.push(entries[index] as MessageEntry);
      return before;
    },
    get length() {
      return path.length;
    },
    compactionId,
    finish() {
      const isCompacted = compactionId() !== undefined;
      const beyond = isFar ? reach?.finish(isCompacted) : undefined;
      if (isFar && !beyond) return undefined;
      // Behind a compaction nothing of the head is met: the compaction carries it.
      const head = isCompacted ? [] : oldest.reverse();
      return { path: path.reverse(), beyond: beyond && without(beyond, head), head };
    },
  };
}

function without({ count, tokens, least }: Beyond, head: readonly MessageEntry[]): Beyond {
  const own = tallyOf(head);
  return { count: count - own.count, tokens: tokens - own.tokens, least };
}

/** What is not a message of its own. An injection at the end of the log as it was stands before one that is not sent. */
function governs(entry: SessionEntry): boolean {
  return entry.type !== "message" && (entry.type !== "injection" || entry.beforeEntryId !== null);
}
