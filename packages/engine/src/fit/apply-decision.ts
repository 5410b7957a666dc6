import { groupBy } from "../model/group-by.ts";
import type { MessageEntry } from "../model/entries.ts";
import type { Shortened } from "../model/ledger.ts";
import type { Decision } from "./rungs/decide.ts";
import { shortened } from "./rungs/shorten-results.ts";
import { type Prepared, withHandles } from "./prepare.ts";

/** A decision carried out on the history. */
export interface Applied {
  readonly decision: Decision;
  /** False when it was taken from the compaction in force. */
  readonly isNew: boolean;
  /** The messages as they are sent. */
  readonly sent: readonly MessageEntry[];
  /** What each of them costs. */
  readonly tokens: readonly number[];
  /** By index in `sent`, what became of those that are not sent whole. */
  readonly fates: ReadonlyMap<number, Shortened>;
  /** Indexes in the history of those that are not sent. */
  readonly cut: readonly number[];
}

/** The compaction in force, applied exactly as it was recorded [F8]. */
export function asInForce(prepared: Prepared): Applied {
  const { history, view } = prepared;
  const decision: Decision = {
    firstKept: 0,
    carried: [],
    maskedBefore: history.maskedBefore,
    droppedSteps: view.compaction?.droppedSteps ?? [],
    shrunk: history.shrunk,
    excess: 0,
  };
  const { known } = prepared.window;
  if (known) return { sent: known.sent, tokens: known.tokens, fates: known.fates, cut: [], decision, isNew: false };
  return { ...apply(prepared, decision), decision, isNew: false };
}

/** False when the decision in force says the same already: then there is nothing to record. */
export function changesAnything({ history }: Prepared, decision: Decision): boolean {
  const { firstKept, maskedBefore, droppedSteps, shrunk } = decision;
  return firstKept > 0 || maskedBefore !== history.maskedBefore || droppedSteps.length > 0 || shrunk !== history.shrunk;
}

/** A new decision. Steps that were dropped before stay dropped. */
export function applyDecision(present: Prepared, decided: Decision): Applied {
  const prepared = withHandles(present);
  const before = prepared.view.compaction?.droppedSteps ?? [];
  const decision = { ...decided, droppedSteps: [...before, ...decided.droppedSteps] };
  return { ...apply(prepared, decision), decision, isNew: true };
}

type Sent = Pick<Applied, "sent" | "tokens" | "fates" | "cut">;

function apply({ history, request }: Prepared, { firstKept, carried, maskedBefore, shrunk }: Decision): Sent {
  const { entries } = history;
  const { account } = request;
  const cuts = groupBy(shrunk, (part) => part.entryId);
  const form = { ...history.notes, pinned: history.pinned };
  const sent: MessageEntry[] = [];
  const tokens: number[] = [];
  const fates = new Map<number, Shortened>();
  const cut: number[] = [];
  const keep = (index: number): void => {
    const entry = entries[index] as MessageEntry;
    const isMasked = index < maskedBefore;
    const message = shortened(entry, isMasked, cuts, form);
    if (message !== entry.message)
      fates.set(sent.length, { fate: isMasked ? "masked" : "shrunk", handle: history.notes.handleOf(entry.id) });
    tokens.push(account.countMessage(message));
    sent.push(message === entry.message ? entry : { ...entry, message });
  };
  const pinned = new Set(carried);
  for (let index = 0; index < firstKept; index += 1) {
    if (pinned.has(index)) keep(index);
    else cut.push(index);
  }
  for (let index = firstKept; index < entries.length; index += 1) keep(index);
  return { sent, tokens, fates, cut };
}
