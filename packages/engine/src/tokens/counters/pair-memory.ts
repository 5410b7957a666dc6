import type { Vocabulary } from "./vocabulary.ts";

/** What two neighbouring parts, by what they are, merge into: the rank of the bytes that they make up, or -1. */
export type RankOfPair = (bytes: Uint8Array, start: number, end: number, left: number, right: number) => number;

const slotBits = 16;

/**
 * Remembers what the pairs that were met last merge into, so that their bytes need not be hashed again. Both parts are
 * compared: no pair is taken for another.
 */
export function pairMemory(entries: Vocabulary): RankOfPair {
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
