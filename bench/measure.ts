/** Times two functions in turns, so that what else the machine does falls on both, and gives their medians in ms. */
export function compare(
  peer: () => unknown,
  own: () => unknown,
  rounds = 200,
): { peer: number; own: number; ratio: number } {
  const times = { peer: [] as number[], own: [] as number[] };
  const kept: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.peer.push(time(peer, kept));
    times.own.push(time(own, kept));
  }
  const result = { peer: median(times.peer), own: median(times.own) };
  return { ...result, ratio: result.own / result.peer };
}

function time(run: () => unknown, kept: unknown[]): number {
  const start = performance.now();
  // Kept until the next round, so that the work cannot be optimised away.
  kept[0] = run();
  return performance.now() - start;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
