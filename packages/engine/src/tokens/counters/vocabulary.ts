/** An encoding's byte strings in the order of their ranks, all single bytes among them. */
export interface PackedEntries {
  /** All of them end to end, a character for each byte. */
  readonly bytes: string;
  /** A character for the length of each: this much above it, so that few need an escape. */
  readonly lengths: string;
}

export const lengthCode = 35;

/** Finds the rank of a byte string. */
export interface Vocabulary {
  /** The rank of the bytes from `start` to `end`, or -1. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
  /** How many bytes the longest entry has. */
  readonly longest: number;
  /** The rank of two bytes, or -1. */
  pairRank(first: number, second: number): number;
}

const bitCount = 2 ** 21;

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x9e_37_79_b1);
  return hash ^ (hash >>> 15);
}

/** All entries end to end, with the place where each starts: two arrays instead of an object for each of 200,000. */
interface EntryPool {
  readonly pool: Uint8Array;
  readonly starts: Uint32Array;
  readonly longest: number;
}

function poolOf({ bytes, lengths }: PackedEntries): EntryPool {
  const pool = new Uint8Array(bytes.length);
  for (let index = 0; index < pool.length; index++) pool[index] = bytes.charCodeAt(index);
  const starts = new Uint32Array(lengths.length + 1);
  let longest = 0;
  for (let rank = 0; rank < lengths.length; rank++) {
    const length = lengths.charCodeAt(rank) - lengthCode;
    starts[rank + 1] = (starts[rank] as number) + length;
    if (length > longest) longest = length;
  }
  return { pool, starts, longest };
}

/** Builds the lookup for an encoding's entries. */
export function vocabulary(entries: PackedEntries): Vocabulary {
  const { pool, starts, longest } = poolOf(entries);
  const size = starts.length - 1;
  const mask = 2 ** Math.ceil(Math.log2(size * 2)) - 1;
  // Open addressing: a slot is a hash and a rank + 1, where 0 is free. The hash is only there to spare comparisons.
  const slots = new Int32Array((mask + 1) * 2);
  const pairs = new Int32Array(0x1_00_00).fill(-1);
  // Most strings that are asked for are not in it. A bit for each hash says so of nearly all of them, and unlike the slots
  // the bits fit into the processor's cache.
  const bits = new Uint32Array(bitCount / 32);
  for (let rank = 0; rank < size; rank++) {
    const start = starts[rank] as number;
    const end = starts[rank + 1] as number;
    const hash = hashBytes(pool, start, end);
    let slot = hash & mask;
    while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask;
    const bit = (hash >>> 7) & (bitCount - 1);
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
    slots[slot * 2] = hash;
    slots[slot * 2 + 1] = rank + 1;
    if (end === start + 2) pairs[((pool[start] as number) << 8) | (pool[start + 1] as number)] = rank;
  }

  function isEntry(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    let own = starts[rank] as number;
    if ((starts[rank + 1] as number) - own !== end - start) return false;
    for (let index = start; index < end; index++) if (bytes[index] !== pool[own++]) return false;
    return true;
  }

  return {
    longest,
    pairRank: (first, second) => pairs[(first << 8) | second] as number,
    rankOf(bytes, start, end) {
      if (end - start > longest) return -1;
      const hash = hashBytes(bytes, start, end);
      const bit = (hash >>> 7) & (bitCount - 1);
      if (!((bits[bit >>> 5] as number) & (1 << (bit & 31)))) return -1;
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const rank = (slots[slot * 2 + 1] as number) - 1;
        if (rank < 0) return -1;
        if (slots[slot * 2] === hash && isEntry(rank, bytes, start, end)) return rank;
      }
    },
  };
}
