/** Numbers of which the lowest comes out first. */
export interface MinHeap {
  push(value: number): void;
  pop(): number | undefined;
}

export function minHeap(): MinHeap {
  const heap: number[] = [];
  return {
    push(value) {
      let hole = heap.length;
      heap.push(value);
      while (hole > 0) {
        const parent = (hole - 1) >> 1;
        if ((heap[parent] as number) <= value) break;
        heap[hole] = heap[parent] as number;
        hole = parent;
      }
      heap[hole] = value;
    },
    pop() {
      const first = heap[0];
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return first;
      let hole = 0;
      for (let child = 1; child < heap.length; child = hole * 2 + 1) {
        if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
        if ((heap[child] as number) >= last) break;
        heap[hole] = heap[child] as number;
        hole = child;
      }
      heap[hole] = last;
      return first;
    },
  };
}
