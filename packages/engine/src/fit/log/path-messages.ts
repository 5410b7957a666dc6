import type { CompactionEntry, MessageEntry, SessionEntry } from "../../model/entries.ts";
import { isMessageEntry } from "../../model/message-entry.ts";
import { repeatsOf } from "./repeats.ts";
import { isInFront, numberBehind, view } from "./view.ts";
import type { ViewOptions } from "./walk-back.ts";

/** A message of a log's active path, also where no build sends it any more. */
export interface PathMessage {
  readonly entry: MessageEntry;
  /** Which message of the log it is: its handle [R1]. */
  readonly ordinal: number;
  readonly isErased: boolean;
}

/**
 * All messages of the active path [M6], oldest first, with their ordinals: told from the first message that the compaction in
 * force keeps, in both directions, so that they are those that its notes and its index name.
 */
export function pathMessages(entries: readonly SessionEntry[], options: ViewOptions = {}): readonly PathMessage[] {
  const { added = [], leafId } = options;
  const { compaction, firstOrdinal } = view(entries, options);
  const log = added.length === 0 ? entries : [...entries, ...added];
  const isRepeat = repeatsOf(entries, added);
  const found: MessageEntry[] = [];
  const erased = new Set<string>();
  let wanted: string | undefined = added.length > 0 ? undefined : leafId;
  // How many messages stand behind the place that the ordinals are told from, that place included.
  let behind: number | undefined;
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const entry = log[index] as SessionEntry;
    if (entry.type === "redact") erased.add(entry.entryId);
    if (isRepeat(index) || (wanted !== undefined && entry.id !== wanted)) continue;
    if (isMessageEntry(entry)) found.push(entry);
    const isAnchor = compaction && entry.id === (compaction.firstKeptEntryId ?? compaction.id);
    if (isAnchor) behind ??= found.length;
    if (entry.parentId === null) break;
    wanted = entry.parentId ?? (index === entries.length ? leafId : undefined);
  }
  const messages = found.reverse();
  const anchor = compaction ? messages.length - (behind ?? 0) : 0;
  const ordinalAt = numbering(messages, { compaction, firstOrdinal, anchor });
  return messages.map((entry, index) => ({
    entry,
    ordinal: ordinalAt(index),
    isErased: erased.has(entry.id),
  }));
}

interface Anchor {
  readonly compaction: CompactionEntry | undefined;
  readonly firstOrdinal: number;
  /** The index of the message that has that ordinal. */
  readonly anchor: number;
}

/** The ordinal of each message: 0 for those in front, unless a compaction of an earlier version counted them. */
function numbering(messages: readonly MessageEntry[], { compaction, firstOrdinal, anchor }: Anchor) {
  const own = messages.findIndex((entry) => entry.before === undefined);
  const fronts = own < 0 ? messages.length : own;
  const before = messages[fronts - 1]?.before;
  const counted = (index: number): number => firstOrdinal + index - anchor;
  if (before === undefined) return counted;
  if (anchor < fronts) {
    const front = messages[anchor];
    if (front && !isInFront(front, compaction)) return counted;
    const first = numberBehind(before, compaction, firstOrdinal);
    return (index: number): number => (index < fronts ? 0 : first + index - fronts);
  }
  const isCounted = compaction?.ordinals !== undefined && counted(fronts - 1) !== before;
  return (index: number): number => (index < fronts && !isCounted ? 0 : counted(index));
}
