import type { MessageEntry, SessionEntry, Tally } from "../../model/entries.ts";

/** Messages that were passed over. */
export interface Beyond extends Tally {
  /** Lower bound of how many of them count as messages [F5]. */
  readonly least: number;
}

/**
 * Tells, while a session is read from its end, which messages no build can send any more: that there is too much for the
 * limit is certain from what each message has at least, and then the cut goes down to the target. So a build need not look
 * closely at ten thousand messages to learn that they are too many.
 */
export interface Reach {
  /** Takes the next message, going backwards. True once nothing before it is likely to be sent, if there is too much. */
  take(entry: MessageEntry): boolean;
  /** Passes over a message that lies further back: it is only counted. */
  pass(entry: MessageEntry, isErased: boolean): void;
  /**
   * Passes over all messages that merely follow each other, from an index backwards. Gives the index of the first entry
   * that does more than that.
   */
  passRun(entries: readonly SessionEntry[], from: number, erased: ReadonlySet<string>): number;
  /**
   * What was passed over. Nothing unless there is certainly too much: then it has to be read after all. It takes more to
   * be certain where results may be masked by a compaction in force.
   */
  finish(isMasked: boolean): Beyond | undefined;
}
