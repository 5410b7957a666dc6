import type { CompactionEntry, MessageEntry, PinEntry, Tally } from "../../model/entries.ts";
import { tallyOf } from "./measure.ts";
import { headLength } from "../../model/message-entry.ts";

/** What a log says about pins, read from its end: by what is meant, the last word about it. */
export type PinWords = ReadonlyMap<string, { readonly entry: PinEntry; readonly isOnPath: boolean }>;

/** What is pinned [R6]. */
export interface Pins {
  /** Of messages. */
  readonly ids: ReadonlySet<string>;
  /** Sentences, the oldest first. */
  readonly texts: readonly PinEntry[];
  /** The pins themselves, without the messages that they bring. */
  readonly entries: readonly PinEntry[];
}

const noPins: Pins = { ids: new Set(), texts: [], entries: [] };

/** What a pin is about: a message, a sentence that another pin holds, or its own. */
export function pinTarget({ id, entryId }: PinEntry): string {
  return entryId ?? id;
}

/** What is pinned behind the last word about each thing. Redacted messages and sentences are not [M7]. */
export function pinsInForce(
  words: PinWords,
  compaction: CompactionEntry | undefined,
  erased: ReadonlySet<string>,
): Pins {
  const earlier = compaction?.pins ?? [];
  if (words.size === 0 && earlier.length === 0) return noPins;
  const later = [...words.values()].map(({ entry }) => entry).toReversed();
  const entries = [...earlier.filter((entry) => !words.has(pinTarget(entry))), ...later].filter(
    (entry) => !entry.isUndone && !erased.has(pinTarget(entry)),
  );
  const texts = entries.filter(
    (entry) => entry.entryId === undefined && entry.text !== undefined && entry.text.trim() !== "",
  );
  const ids = entries.flatMap(({ entryId }) => entryId ?? []);
  return { ids: new Set(ids), texts, entries: entries.map(withoutMessages) };
}

function withoutMessages({ carried: _carried, ordinals: _ordinals, ...pin }: PinEntry): PinEntry {
  return pin;
}

/** A message that stands in front of those that are read from the log. */
interface CarriedMessage {
  readonly entry: MessageEntry;
  readonly ordinal: number;
}

/** What a compaction carries, and what pins have brought back from behind it. */
export interface Carried {
  /** The session's head. */
  readonly leading: readonly CarriedMessage[];
  /** In the order of the log. */
  readonly rest: readonly CarriedMessage[];
  /** Of these, those that only a pin brought back: the compaction counts them as gone. */
  readonly broughtBack: readonly MessageEntry[];
}

export function carriedMessages(
  compaction: CompactionEntry | undefined,
  words: PinWords,
  { ids }: Pins,
  isOnPath: (id: string) => boolean,
): Carried {
  const entries = compaction?.carried ?? [];
  const own = entries.map((entry, index) => ({ entry, ordinal: compaction?.ordinals?.carried?.[index] ?? 0 }));
  const length = compaction?.head ?? headLength(entries);
  const known = new Set(entries.map(({ id }) => id));
  const back: CarriedMessage[] = [];
  for (const { entry: pin, isOnPath: isHere } of words.values()) {
    // The pin of another branch may be about a message that this one never had.
    if (!isHere || !ids.has(pinTarget(pin))) continue;
    for (const [index, entry] of (pin.carried ?? []).entries()) {
      if (known.has(entry.id) || isOnPath(entry.id)) continue;
      known.add(entry.id);
      back.push({ entry, ordinal: pin.ordinals?.[index] ?? 0 });
    }
  }
  const rest = own.slice(length);
  return {
    leading: own.slice(0, length),
    rest: back.length === 0 ? rest : [...rest, ...back].sort((a, b) => a.ordinal - b.ordinal),
    broughtBack: back.map(({ entry }) => entry),
  };
}

/** What was brought back is gone no more; of what is counted together, those without a summary are taken first. */
export function withoutBack({ summarised, dropped }: Gone, back: readonly MessageEntry[]): Gone {
  if (back.length === 0) return { summarised, dropped };
  const fromDropped = Math.min(dropped.count, back.length);
  return {
    dropped: subtract(dropped, back.slice(0, fromDropped)),
    summarised: subtract(summarised, back.slice(fromDropped)),
  };
}

interface Gone {
  readonly summarised: Tally;
  readonly dropped: Tally;
}

function subtract(tally: Tally, entries: readonly MessageEntry[]): Tally {
  const { count, tokens } = tallyOf(entries);
  return { count: Math.max(0, tally.count - count), tokens: Math.max(0, tally.tokens - tokens) };
}
