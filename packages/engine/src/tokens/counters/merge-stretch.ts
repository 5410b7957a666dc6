import type { Vocabulary } from "./vocabulary.ts";

/** Merges up to `stretchSize` bytes at once. */
export interface Stretch {
  /** Merges the bytes until no two parts make a token; gives the number of parts. */
  merge(bytes: Uint8Array, from: number, to: number): number;
  /** Where the part that starts at a byte ends, both counted from the start of what was merged last. */
  readonly ends: Int32Array;
}

const positionBits = 11;
/** The tables for this many bytes fit into the processor's cache, and a rank and a position fit into 31 bits. */
export const stretchSize = 2 ** positionBits;
/** Pieces of language are shorter; what is longer has few pairs that come again. */
const maxPhraseLength = 300;

/** Merges pairs of the lowest rank first, from left to right: what a byte pair encoding is by definition. */
export function mergeStretch(entries: Vocabulary): Stretch {
  const ends = new Int32Array(stretchSize + 1);
  const before = new Int32Array(stretchSize + 1);
  /** The rank that a part and the one after it would merge into, or -1. */
  const ranks = new Int32Array(stretchSize + 1);
  /** What a part is: the rank of its token, or a number below 0 for a single byte. */
  const parts = new Int32Array(stretchSize + 1);
  // Every merge takes one candidate out and puts at most two in, and there are fewer merges than bytes.
  const waiting = rankHeap(stretchSize * 2 + 1);
  const recall = pairMemory(entries);

  function open(bytes: Uint8Array, from: number, length: number): void {
    waiting.size = 0;
    for (let start = 0; start < length; start++) {
      const byte = bytes[from + start] as number;
      ends[start] = start + 1;
      before[start] = start - 1;
      parts[start] = -2 - byte;
      const rank = start + 1 < length ? entries.pairRank(byte, bytes[from + start + 1] as number) : -1;
      ranks[start] = rank;
      if (rank >= 0) waiting.push(rank, start);
    }
  }

  /** Looks up what the parts that start at `start` and `middle` would merge into. */
  function consider(bytes: Uint8Array, from: number, isPhrase: boolean, start: number, middle: number): void {
    const first = from + start;
    const last = from + (ends[middle] as number);
    let rank: number;
    if (isPhrase) rank = recall(bytes, first, last, parts[start] as number, parts[middle] as number);
    else rank = last - first > entries.longest ? -1 : entries.rankOf(bytes, first, last);
    ranks[start] = rank;
    if (rank >= 0) waiting.push(rank, start);
  }

  function merge(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    const isPhrase = length <= maxPhraseLength;
    open(bytes, from, length);
    let count = length;
    while (waiting.size > 0) {
      const key = waiting.pop();
      const rank = rankIn(key);
      const start = positionIn(key);
      // The candidate is stale when either of its parts has been merged since.
      if (ranks[start] !== rank) continue;
      count--;
      const middle = ends[start] as number;
      const end = ends[middle] as number;
      ranks[middle] = -1;
      ranks[start] = -1;
      ends[start] = end;
      parts[start] = rank;
      if (end < length) {
        before[end] = start;
        consider(bytes, from, isPhrase, start, end);
      }
      if (start > 0) consider(bytes, from, isPhrase, before[start] as number, start);
    }
    return count;
  }

  return { merge, ends };
}

/** What two neighbouring parts, by what they are, merge into: the rank of the bytes that they make up, or -1. */
type RankOfPair = (bytes: Uint8Array, start: number, end: number, left: number, right: number) => number;

const slotBits = 16;

/**
 * Remembers what the pairs that were met last merge into, so that their bytes need not be hashed again. Both parts are
 * compared: no pair is taken for another.
 */
function pairMemory(entries: Vocabulary): RankOfPair {
  // A slot is left, right and rank.
  const slots = new Int32Array(2 ** slotBits * 3).fill(-1);
  return (bytes, start, end, left, right) => {
    const slot = ((Math.imul(left, 0x9e_37_79_b1) ^ Math.imul(right, 0x85_eb_ca_6b)) >>> (32 - slotBits)) * 3;
    if (slots[slot] === left && slots[slot + 1] === right) return slots[slot + 2] as number;
    const rank = entries.rankOf(bytes, start, end);
    slots[slot] = left;
    slots[slot + 1] = right;
    slots[slot + 2] = rank;
    return rank;
  };
}

/** A rank with a position, as one number. */
const rankIn = (key: number): number => key >> positionBits;
const positionIn = (key: number): number => key & (stretchSize - 1);

/** Ranks with positions, of which the lowest rank comes out first, and of equal ranks the leftmost. */
interface RankHeap {
  /** How many are in it; 0 empties it. */
  size: number;
  push(rank: number, position: number): void;
  /** Takes the first one out. There must be one. */
  pop(): number;
}

function rankHeap(room: number): RankHeap {
  const keys = new Int32Array(room);
  const heap: RankHeap = {
    size: 0,
    push(rank, position) {
      const key = (rank << positionBits) | position;
      let hole = heap.size++;
      while (hole > 0) {
        const parent = (hole - 1) >> 1;
        const above = keys[parent] as number;
        if (above <= key) break;
        keys[hole] = above;
        hole = parent;
      }
      keys[hole] = key;
    },
    pop() {
      const first = keys[0] as number;
      const size = --heap.size;
      const key = keys[size] as number;
      let hole = 0;
      for (let child = 1; child < size; child = hole * 2 + 1) {
        if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child++;
        const below = keys[child] as number;
        if (below >= key) break;
        keys[hole] = below;
        hole = child;
      }
      keys[hole] = key;
      return first;
    },
  };
  return heap;
}
