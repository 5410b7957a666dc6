import { minHeap } from "./min-heap.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** More than any vocabulary has. */
const mostRanks = 2 ** 18;

/** Where pairs stand that would merge into one token, from `next` on in ascending order. */
interface Candidates {
  positions: number[];
  next: number;
  isSorted: boolean;
}

/**
 * Counts as `mergeBytes` does, for pieces of millions of bytes: candidates lie in a list for each rank instead of in one
 * heap, so that memory is walked through in order. The lowest rank goes first, from left to right, and a lower one that
 * turns up on the way goes before what is left.
 */
export function mergeInRounds(entries: Vocabulary, bytes: Uint8Array, length: number): number {
  const ends = new Int32Array(length + 1);
  const before = new Int32Array(length + 1);
  const ranks = new Int32Array(length + 1);
  const waiting = rankQueue();
  for (let start = 0; start < length; start++) {
    ends[start] = start + 1;
    before[start] = start - 1;
    const rank = start + 1 < length ? entries.pairRank(bytes[start] as number, bytes[start + 1] as number) : -1;
    ranks[start] = rank;
    if (rank >= 0) waiting.add(rank, start);
  }
  let parts = length;
  const consider = (from: number, to: number): number => {
    const rank = entries.rankOf(bytes, from, to);
    ranks[from] = rank;
    if (rank >= 0) waiting.add(rank, from);
    return rank;
  };
  for (let round = waiting.take(); round; round = waiting.take()) {
    const { rank, candidates } = round;
    const { positions } = candidates;
    while (candidates.next < positions.length) {
      const start = positions[candidates.next++] as number;
      // The candidate is stale when either of its parts has been merged since.
      if (ranks[start] !== rank) continue;
      parts--;
      const middle = ends[start] as number;
      const end = ends[middle] as number;
      ranks[middle] = -1;
      ends[start] = end;
      ranks[start] = -1;
      let lowest = rank;
      if (end < length) {
        before[end] = start;
        const next = consider(start, ends[end] as number);
        if (next >= 0 && next < lowest) lowest = next;
      }
      if (start > 0) {
        const next = consider(before[start] as number, end);
        if (next >= 0 && next < lowest) lowest = next;
      }
      if (lowest < rank) {
        waiting.putBack(rank, candidates);
        break;
      }
    }
  }
  return parts;
}

interface RankQueue {
  add(rank: number, position: number): void;
  take(): { readonly rank: number; readonly candidates: Candidates } | undefined;
  putBack(rank: number, candidates: Candidates): void;
}

function rankQueue(): RankQueue {
  // By rank: an array, because a map would be asked millions of times.
  const lists = Array.from<Candidates | undefined>({ length: mostRanks });
  const ranks = minHeap();
  return {
    add(rank, position) {
      const list = lists[rank];
      if (!list) {
        lists[rank] = { positions: [position], next: 0, isSorted: true };
        ranks.push(rank);
        return;
      }
      if (position < (list.positions[list.positions.length - 1] as number)) list.isSorted = false;
      list.positions.push(position);
    },
    take() {
      const rank = ranks.pop();
      const candidates = rank === undefined ? undefined : lists[rank];
      if (rank === undefined || !candidates) return undefined;
      lists[rank] = undefined;
      if (!candidates.isSorted) {
        const rest = Float64Array.from(candidates.positions.slice(candidates.next)).sort();
        Object.assign(candidates, { positions: Array.from(rest), next: 0, isSorted: true });
      }
      return { rank, candidates };
    },
    putBack(rank, candidates) {
      const added = lists[rank];
      if (!added) {
        lists[rank] = candidates;
        ranks.push(rank);
        return;
      }
      added.positions = [...candidates.positions.slice(candidates.next), ...added.positions];
      added.isSorted = false;
    },
  };
}
