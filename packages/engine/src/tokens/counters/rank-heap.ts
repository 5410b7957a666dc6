/** Upper bound of positions: a rank and a position fit into 31 bits. */
export const positions = 2 ** 11;
const POSITION_BITS = 11;

/** A rank with a position, as one number. */
export const rankIn = (key: number): number => key >> POSITION_BITS;
export const positionIn = (key: number): number => key & (positions - 1);

/** Ranks with positions, of which the lowest rank comes out first, and of equal ranks the leftmost. */
export interface RankHeap {
  /** How many are in it; 0 empties it. */
  size: number;
  push(rank: number, position: number): void;
  /** Takes the first one out. There must be one. */
  pop(): number;
}

export function rankHeap(room: number): RankHeap {
  const keys = new Int32Array(room);
  const heap: RankHeap = {
    size: 0,
    push(rank, position) {
      const key = (rank << POSITION_BITS) | position;
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
