import type { MessageEntry } from "../model/entries.ts";
import type { TokenAccount } from "../tokens/account.ts";
import { type Beyond, type FarTally, farTally } from "./far-tally.ts";
import type { Limits } from "./limits.ts";
import { nearSize } from "./near-size.ts";
import { redactMessage } from "./redact-message.ts";

/**
 * Tells, while a session is read from its end, which messages no build can send any more: that there is too much for the
 * limit is certain from what each message has at least, and then the cut goes down to the target. So nobody has to look
 * closely at ten thousand messages to learn that they are too many.
 */
export interface Reach {
  /** Takes the next message, going backwards. True once nothing before it is likely to be sent, if there is too much. */
  take(entry: MessageEntry): boolean;
  /** Passes over a message that lies further back: it is only counted. */
  pass(entry: MessageEntry, isErased: boolean): void;
  /** Passes over all messages that merely follow each other, from an index backwards; see `FarTally`. */
  passRun: FarTally["passRun"];
  /**
   * What was passed over. Nothing unless there is certainly too much: then it has to be read after all. It takes more to
   * be certain where results may be masked by a compaction in force.
   */
  finish(isMasked: boolean): Beyond | undefined;
}

export function openReach(limits: Limits, account: TokenAccount): Reach {
  const near = nearSize(limits, account);
  let opened: FarTally | undefined;
  const openFar = (): FarTally => (opened ??= farTally(limits, near, account.tokenizer.atLeast));
  return {
    take: (entry) => near.take(entry),
    pass: ({ message }, isErased) => openFar().pass(isErased ? redactMessage(message) : message),
    passRun: (entries, from, erased) => openFar().passRun(entries, from, erased),
    finish: (isMasked) => opened?.finish(isMasked),
  };
}
