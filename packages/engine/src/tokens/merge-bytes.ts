import { mergeInRounds } from "./merge-in-rounds.ts";
import type { Vocabulary } from "./vocabulary.ts";

interface Room {
  readonly size: number;
  /** Where the part that starts at a byte ends, and where the part before it starts. */
  readonly ends: Int32Array;
  readonly before: Int32Array;
  /** The rank that a part and the one after it would merge into, or -1. */
  readonly ranks: Int32Array;
  /** A binary heap of `rank * POSITIONS + start`: the lowest rank first, and of equal ranks the leftmost. */
  readonly heap: Float64Array;
}

const POSITIONS = 2 ** 32;
/** From here on a heap no longer fits into the processor's cache. */
const longPiece = 50_000;

function roomFor(size: number): Room {
  const ints = () => new Int32Array(size + 1);
  // Every merge takes one candidate out and puts at most two in, and there are fewer merges than bytes.
  return { size, ends: ints(), before: ints(), ranks: ints(), heap: new Float64Array(size * 2 + 1) };
}

function push(heap: Float64Array, size: number, key: number): void {
  let hole = size;
  while (hole > 0) {
    const parent = (hole - 1) >> 1;
    const above = heap[parent] as number;
    if (above <= key) break;
    heap[hole] = above;
    hole = parent;
  }
  heap[hole] = key;
}

/** Takes the first key out: the last of the `size` + 1 keys sinks into its place. */
function sink(heap: Float64Array, size: number): void {
  const key = heap[size] as number;
  let hole = 0;
  for (let child = 1; child < size; child = hole * 2 + 1) {
    if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child++;
    const below = heap[child] as number;
    if (below >= key) break;
    heap[hole] = below;
    hole = child;
  }
  heap[hole] = key;
}

function mergeIn(room: Room, entries: Vocabulary, bytes: Uint8Array, length: number): number {
  const { ends, before, ranks, heap } = room;
  let size = 0;
  for (let start = 0; start < length; start++) {
    ends[start] = start + 1;
    before[start] = start - 1;
    const rank = start + 1 < length ? entries.pairRank(bytes[start] as number, bytes[start + 1] as number) : -1;
    ranks[start] = rank;
    if (rank >= 0) push(heap, size++, rank * POSITIONS + start);
  }
  let parts = length;
  while (size > 0) {
    const key = heap[0] as number;
    sink(heap, --size);
    const rank = Math.floor(key / POSITIONS);
    const start = key - rank * POSITIONS;
    // The candidate is stale when either of its parts has been merged since.
    if (ranks[start] !== rank) continue;
    parts--;
    const middle = ends[start] as number;
    const end = ends[middle] as number;
    ranks[middle] = -1;
    ends[start] = end;
    ranks[start] = -1;
    if (end < length) {
      before[end] = start;
      const next = entries.rankOf(bytes, start, ends[end] as number);
      ranks[start] = next;
      if (next >= 0) push(heap, size++, next * POSITIONS + start);
    }
    if (start > 0) {
      const previous = before[start] as number;
      const next = entries.rankOf(bytes, previous, end);
      ranks[previous] = next;
      if (next >= 0) push(heap, size++, next * POSITIONS + previous);
    }
  }
  return parts;
}

/** Counts the tokens that the first `length` bytes merge into, in n log n, so that no text takes quadratic time. */
export function mergeBytes(entries: Vocabulary): (bytes: Uint8Array, length: number) => number {
  const small = roomFor(1024);
  return (bytes, length) => {
    if (length > longPiece) return mergeInRounds(entries, bytes, length);
    return mergeIn(length <= small.size ? small : roomFor(length), entries, bytes, length);
  };
}
