import type { Vocabulary } from "./vocabulary.ts";

/** Merges up to `size` bytes at once. */
export interface Stretch {
  /** Merges the bytes until no two parts make a token; gives the number of parts. */
  merge(bytes: Uint8Array, from: number, to: number): number;
  /** Where the part that starts at a byte ends, both counted from the start of what was merged last. */
  readonly ends: Int32Array;
}

/** Pieces of language are shorter, and what is longer has few pairs that come again. */
const longestPhrase = 300;
const pairBits = 16;
const POSITION_BITS = 11;
const POSITION_MASK = 2 ** POSITION_BITS - 1;
/** What belongs to so many bytes stays in the processor's cache, and a rank and a position fit into 31 bits. */
export const stretchSize = 2 ** POSITION_BITS;

/** Merges pairs of the lowest rank first, from left to right: what a byte pair encoding is by definition. */
export function mergeStretch(entries: Vocabulary): Stretch {
  const ends = new Int32Array(stretchSize + 1);
  const before = new Int32Array(stretchSize + 1);
  /** The rank that a part and the one after it would merge into, or -1. */
  const ranks = new Int32Array(stretchSize + 1);
  /** What a part is: the rank of its token, or its byte where it is one byte. */
  const parts = new Int32Array(stretchSize + 1);
  // A binary heap of ranks, each with the position of its pair: the lowest rank first, and of equal ranks the leftmost.
  // Every merge takes one candidate out and puts at most two in, and there are fewer merges than bytes.
  const heap = new Int32Array(stretchSize * 2 + 1);
  let waiting = 0;
  let isPhrase = true;

  function push(rank: number, start: number): void {
    const key = (rank << POSITION_BITS) | start;
    let hole = waiting++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent] as number;
      if (above <= key) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = key;
  }

  function pop(): number {
    const first = heap[0] as number;
    const key = heap[--waiting] as number;
    let hole = 0;
    for (let child = 1; child < waiting; child = hole * 2 + 1) {
      if (child + 1 < waiting && (heap[child + 1] as number) < (heap[child] as number)) child++;
      const below = heap[child] as number;
      if (below >= key) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = key;
    return first;
  }

  // What two tokens merge into, for the pairs that were met last: their bytes need not be hashed again. A slot is left,
  // right and rank; both are compared, so that no pair is taken for another.
  const pairs = new Int32Array(2 ** pairBits * 3).fill(-1);

  function rankOfPair(bytes: Uint8Array, start: number, end: number, left: number, right: number): number {
    if (!isPhrase) return entries.rankOf(bytes, start, end);
    const slot = ((Math.imul(left, 0x9e_37_79_b1) ^ Math.imul(right, 0x85_eb_ca_6b)) >>> (32 - pairBits)) * 3;
    if (pairs[slot] === left && pairs[slot + 1] === right) return pairs[slot + 2] as number;
    const rank = entries.rankOf(bytes, start, end);
    pairs[slot] = left;
    pairs[slot + 1] = right;
    pairs[slot + 2] = rank;
    return rank;
  }

  function open(bytes: Uint8Array, from: number, length: number): void {
    waiting = 0;
    for (let start = 0; start < length; start++) {
      ends[start] = start + 1;
      before[start] = start - 1;
      const at = from + start;
      parts[start] = -2 - (bytes[at] as number);
      const rank = start + 1 < length ? entries.pairRank(bytes[at] as number, bytes[at + 1] as number) : -1;
      ranks[start] = rank;
      if (rank >= 0) push(rank, start);
    }
  }

  function merge(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    isPhrase = length <= longestPhrase;
    open(bytes, from, length);
    let count = length;
    while (waiting > 0) {
      const key = pop();
      const rank = key >> POSITION_BITS;
      const start = key & POSITION_MASK;
      // The candidate is stale when either of its parts has been merged since.
      if (ranks[start] !== rank) continue;
      count--;
      const middle = ends[start] as number;
      const end = ends[middle] as number;
      ranks[middle] = -1;
      ends[start] = end;
      ranks[start] = -1;
      parts[start] = rank;
      if (end < length) {
        before[end] = start;
        const next = rankOfPair(bytes, from + start, from + (ends[end] as number), rank, parts[end] as number);
        ranks[start] = next;
        if (next >= 0) push(next, start);
      }
      if (start > 0) {
        const previous = before[start] as number;
        const next = rankOfPair(bytes, from + previous, from + end, parts[previous] as number, rank);
        ranks[previous] = next;
        if (next >= 0) push(next, previous);
      }
    }
    return count;
  }

  return { merge, ends };
}
