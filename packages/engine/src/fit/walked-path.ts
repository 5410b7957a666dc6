import type { SessionEntry } from "../model/entries.ts";
import type { Beyond } from "./far-tally.ts";
import type { Reach } from "./reach.ts";

/** The entries of a branch, gathered from its end. Messages that are out of reach are only counted. */
export interface WalkedPath {
  add(entry: SessionEntry, isErased: boolean): void;
  /** Where messages of a log that merely follow each other are out of reach, the index of the entry before them. */
  skip(entries: readonly SessionEntry[], from: number, erased: ReadonlySet<string>): number;
  /** How many entries it has without those that were only counted. */
  readonly length: number;
  compactionId(): string | undefined;
  /** Oldest first. Nothing when messages were passed over that a build could reach after all. */
  finish(): { readonly path: readonly SessionEntry[]; readonly beyond: Beyond | undefined } | undefined;
}

export function walkedPath(reach: Reach | undefined): WalkedPath {
  const path: SessionEntry[] = [];
  let isFar = false;
  const compactionId = (): string | undefined => path.find((entry) => entry.type === "compaction")?.id;
  return {
    add(entry, isErased) {
      if (!isFar || governs(entry)) path.push(entry);
      if (!reach || entry.type !== "message") return;
      if (isFar) reach.pass(entry, isErased);
      else if (!isErased) isFar = reach.take(entry);
    },
    skip: (entries, from, erased) => (isFar && reach ? reach.passRun(entries, from, erased) : from),
    get length() {
      return path.length;
    },
    compactionId,
    finish() {
      const beyond = isFar ? reach?.finish(compactionId() !== undefined) : undefined;
      return isFar && !beyond ? undefined : { path: path.reverse(), beyond };
    },
  };
}

/** What is not a message of its own. An injection at the end of the log as it was stands before one that is not sent. */
function governs(entry: SessionEntry): boolean {
  return entry.type !== "message" && (entry.type !== "injection" || entry.beforeEntryId !== null);
}
