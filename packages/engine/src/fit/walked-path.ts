import type { MessageEntry, SessionEntry, Tally } from "../model/entries.ts";
import { tallyOf } from "./measure.ts";
import type { Reach } from "./reach.ts";

/** The entries of a branch, gathered from its end. Messages that are out of reach are only counted. */
export interface WalkedPath {
  add(entry: SessionEntry, isErased: boolean): void;
  readonly length: number;
  compactionId(): string | undefined;
  /** Oldest first. */
  finish(): { readonly path: readonly SessionEntry[]; readonly beyond: Tally | undefined };
}

export function walkedPath(reach: Reach | undefined): WalkedPath {
  const path: SessionEntry[] = [];
  /** How many entries of the path, from its end, hold what may still be sent if there is too much. */
  let near = Infinity;
  return {
    add(entry, isErased) {
      path.push(entry);
      if (!reach || near !== Infinity || isErased || entry.type !== "message") return;
      if (reach.take(entry)) near = path.length;
    },
    get length() {
      return path.length;
    },
    compactionId: () => path.find((entry) => entry.type === "compaction")?.id,
    finish() {
      const far = path.slice(near);
      const messages = far.filter((entry): entry is MessageEntry => entry.type === "message");
      if (messages.length === 0 || !reach?.isTooMuch(messages)) return { path: path.reverse(), beyond: undefined };
      path.length = near;
      for (const entry of far) if (governs(entry)) path.push(entry);
      return { path: path.reverse(), beyond: tallyOf(messages) };
    },
  };
}

/** What is not a message of its own. An injection at the end of the log as it was stands before one that is not sent. */
function governs(entry: SessionEntry): boolean {
  return entry.type !== "message" && (entry.type !== "injection" || entry.beforeEntryId !== null);
}
