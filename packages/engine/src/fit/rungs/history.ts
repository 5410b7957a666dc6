import { groupBy } from "../../model/group-by.ts";
import type { CompactionEntry, MessageEntry, ShrunkPart } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import type { TokenAccount } from "../../tokens/account.ts";
import { type NoteForm, shortened } from "./shorten-results.ts";

/** The messages of a view in the form in which they would be sent, with their sizes. */
export interface History {
  readonly entries: readonly MessageEntry[];
  /** Tool results before this index are masked by the compaction in force. */
  readonly maskedBefore: number;
  readonly shrunk: readonly ShrunkPart[];
  readonly notes: NoteForm;
  /** Ids of messages that stay whole until they are unpinned [R6]. */
  readonly pinned: ReadonlySet<string>;
  /** With what is frozen in front of it. */
  tokensAt(index: number, isMasked: boolean): number;
  /** Whether that is more than this many tokens, unmasked. Decided without counting when clearly over. */
  isAboveAt(index: number, tokens: number): boolean;
  /** The same with other notes. */
  withNotes(notes: NoteForm): History;
}

export interface HistoryInput {
  readonly entries: readonly MessageEntry[];
  readonly compaction: CompactionEntry | undefined;
  readonly account: TokenAccount;
  /** What stands frozen before a message costs as much as that message, since it leaves with it. */
  readonly frozenTokens: ReadonlyMap<number, number>;
  /** What each message counts beyond its own. */
  readonly perMessage?: number;
  readonly notes: NoteForm;
  readonly pinned: ReadonlySet<string>;
  /** Where the masks of the compaction in force end, if that is known. */
  readonly maskedBefore: number | undefined;
}

export function openHistory(input: HistoryInput): History {
  const { entries, compaction, account, frozenTokens, perMessage = 0, notes, pinned } = input;
  const form = { ...notes, pinned };
  const shrunk = compaction?.shrunk ?? [];
  const cuts = groupBy(shrunk, (part) => part.entryId);
  const messageAt = (index: number, isMasked: boolean): ModelMessage =>
    shortened(entries[index] as MessageEntry, isMasked, cuts, form);
  const frozenAt = (index: number): number =>
    (frozenTokens.size === 0 ? 0 : (frozenTokens.get(index) ?? 0)) + perMessage;
  return {
    entries,
    maskedBefore: input.maskedBefore ?? indexOfEntry(entries, compaction?.maskedBefore),
    shrunk,
    notes,
    pinned,
    tokensAt: (index, isMasked) => account.countMessage(messageAt(index, isMasked)) + frozenAt(index),
    isAboveAt: (index, tokens) => account.isAbove(messageAt(index, false), tokens - frozenAt(index)),
    withNotes: (other) => openHistory({ ...input, notes: other }),
  };
}

function indexOfEntry(entries: readonly MessageEntry[], id: string | null | undefined): number {
  if (id === null || id === undefined) return 0;
  return Math.max(
    0,
    entries.findIndex((entry) => entry.id === id),
  );
}
