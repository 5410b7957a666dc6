type Side<Input> = (input: Input) => unknown;

export interface Rounds<Input> {
  readonly rounds: number;
  /** Rounds before the first that counts. */
  readonly warmUp: number;
  /** Makes what a round works on; not timed. */
  readonly prepare: (round: number) => Input | Promise<Input>;
  /** Before each side; not timed. */
  readonly before?: () => void;
  /** In ms; the wall's unless said otherwise. */
  readonly clock?: () => number;
}

/** The time that this thread has had a processor, in ms: what else the machine does is not in it. Coarse: to be summed. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Times the sides in turns, so that what else the machine does falls on all of them. Gives the times of each in ms. */
export async function interleave<Input, Name extends string>(
  { rounds, warmUp, prepare, before, clock = () => performance.now() }: Rounds<Input>,
  sides: Readonly<Record<Name, Side<Input>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round += 1) {
    const input = await prepare(round);
    // Each goes first in every other round: the first one finds the texts cold.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      before?.();
      const time = await timeOf(sides[name], input, clock);
      if (round >= 0) times[name].push(time);
    }
  }
  return times;
}

// Kept until the next round, so that the work cannot be optimised away.
const kept: unknown[] = [];

async function timeOf<Input>(side: Side<Input>, input: Input, clock: () => number): Promise<number> {
  const start = clock();
  const result = side(input);
  kept[0] = result instanceof Promise ? await result : result;
  return clock() - start;
}

/** Times two functions in turns and gives their medians in ms. */
export async function compare(
  peer: () => unknown,
  own: () => unknown,
  rounds = 200,
): Promise<{ peer: number; own: number; ratio: number }> {
  const times = await interleave({ rounds, warmUp: 20, prepare: () => undefined }, { peer, own });
  const result = { peer: median(times.peer), own: median(times.own) };
  return { ...result, ratio: result.own / result.peer };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * How much longer one side took than the other in the median round: a machine that is slow for a while is slow for both.
 * Rounds in which one goes first and rounds in which the other does are looked at apart.
 */
export function medianRatio(own: readonly number[], peer: readonly number[]): number {
  if (own.length !== peer.length) throw new Error(`${own.length} rounds of one side, ${peer.length} of the other.`);
  const ratios = own.map((time, round) => time / (peer[round] as number));
  const [first, second] = [0, 1].map((order) => median(ratios.filter((_, round) => round % 2 === order)));
  return Math.sqrt((first as number) * (second as number));
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Gives the median time of the work on each number of messages, in ms. */
export type Growth = (sizes: readonly number[], folder: string) => Promise<number[]>;

export function inMs(value: number): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}

export function inPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
