import type { MessageEntry } from "../../model/entries.ts";
import { isOfUser } from "../../model/message-entry.ts";
import { openCalls } from "../../model/open-calls.ts";
import type { History } from "./history.ts";
import { shapeOf } from "../log/measure.ts";

interface Kept {
  readonly firstKept: number;
  readonly carried: readonly number[];
  /** Of everything that is kept. */
  readonly tokens: number;
}

/** Sizes of groups, asked for from the newest backwards and no further than needed. */
export interface GroupSizes {
  readonly newestStart: number;
  /** The longest run of newest groups that fits, together with the pinned ones, which are kept whether they fit or not. */
  keep(room: number, maxMessages: number): Kept;
  /**
   * The index up to which results have to be masked, when this much room is left: the newest masked ones get theirs
   * back first. What is masked before `atLeast` stays so.
   */
  unmask(room: number, atLeast: number, firstKept?: number): number;
}

export function groupSizes(history: History, starts: readonly number[], maskedBefore: number): GroupSizes {
  const { entries } = history;
  const pinned = pinnedGroups(history, starts);
  const endOf = (group: number): number => starts[group + 1] ?? entries.length;
  const sizeOf = (group: number, isMasked: boolean): number => {
    let tokens = 0;
    for (let index = starts[group] ?? 0; index < endOf(group); index += 1) tokens += history.tokensAt(index, isMasked);
    return tokens;
  };
  const countOf = (group: number): number => {
    const start = starts[group] ?? 0;
    return entries[start]?.message.role === "system" ? endOf(group) - start - 1 : endOf(group) - start;
  };
  const currentSize = (group: number): number => sizeOf(group, (starts[group] ?? 0) < maskedBefore);

  return {
    newestStart: starts.at(-1) ?? 0,
    keep(room, maxMessages) {
      let tokens = 0;
      let count = 0;
      for (const group of pinned) {
        tokens += currentSize(group);
        count += countOf(group);
      }
      let first = starts.length;
      for (let group = starts.length - 1; group >= 0; group -= 1) {
        if (!pinned.has(group)) {
          count += countOf(group);
          if (count > maxMessages) break;
          const size = currentSize(group);
          if (tokens + size > room) break;
          tokens += size;
        }
        first = group;
      }
      const carried = [...pinned].filter((group) => group < first).sort((a, b) => a - b);
      return {
        firstKept: starts[first] ?? entries.length,
        carried: carried.flatMap((group) => range(starts[group] ?? 0, endOf(group))),
        tokens,
      };
    },
    unmask(room, atLeast, firstKept = 0) {
      let left = room;
      let boundary = maskedBefore;
      for (let group = starts.length - 1; group >= 0; group -= 1) {
        const start = starts[group] ?? 0;
        if (start >= maskedBefore) continue;
        if (start < atLeast || start < firstKept) break;
        left += sizeOf(group, true);
        for (let index = start; index < endOf(group) && left >= 0; index += 1) {
          left = history.isAboveAt(index, left) ? -1 : left - history.tokensAt(index, false);
        }
        if (left < 0) break;
        boundary = start;
      }
      return Math.max(boundary, atLeast);
    },
  };
}

/** The newest group, the last user message, groups whose calls are still open [F6], and those with a pinned message [R6]. */
function pinnedGroups({ entries, pinned: ids }: History, starts: readonly number[]): ReadonlySet<number> {
  const pinned = new Set<number>();
  if (starts.length > 0) pinned.add(starts.length - 1);
  const lastUser = entries.findLastIndex(isOfUser);
  if (lastUser >= 0) pinned.add(starts.findLastIndex((start) => start <= lastUser));
  const open = openCalls();
  // Calls before the last user message have been answered, if only with a note.
  for (let index = Math.max(0, lastUser); index < entries.length; index += 1) {
    const shape = shapeOf((entries[index] as MessageEntry).message);
    for (const key of shape.opens) open.open(key, index);
    for (const { key } of shape.answers) open.answer(key);
  }
  for (const [, index] of open.entries()) pinned.add(starts.findLastIndex((start) => start <= index));
  if (ids.size === 0) return pinned;
  let group = 0;
  for (const [index, { id }] of entries.entries()) {
    while ((starts[group + 1] ?? Infinity) <= index) group += 1;
    if (ids.has(id)) pinned.add(group);
  }
  return pinned;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}
