/** Browsers have no process. */
const { process: host } = globalThis as {
  process?: { env: Record<string, string | undefined>; hrtime(): [seconds: number, nanoseconds: number] };
};
const env = host?.env ?? {};

const isThorough = env["GALLEY_FAULTS"] === "1";

/** The same for every `npm test` and another one for every `npm run test:faults`, unless GALLEY_FUZZ_SEED names it. */
export const fuzzSeed = Number(env["GALLEY_FUZZ_SEED"] ?? (isThorough ? (host?.hrtime()[1] ?? 1) : 1));

/** Draws that are the same for the same name, round and seed. */
export interface Chance {
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  /** True once in this many times. */
  oneIn(times: number): boolean;
}

/** Mulberry32: numbers from 0 up to, but not including, 1, the same for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00;
  };
}

/** Draws over a hash of the name, so that each round can be drawn alone. */
export function chanceOf(name: string, round: number, seed = fuzzSeed): Chance {
  let state = seed ^ Math.imul(round + 1, 0x9e_37_79_b1);
  for (let index = 0; index < name.length; index += 1) state = Math.imul(state ^ name.charCodeAt(index), 0x01_00_01_93);
  const next = numbersFrom(state);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (list) => {
      if (list.length === 0) throw new Error("There is nothing to pick from.");
      return list[below(list.length)] as (typeof list)[number];
    },
    oneIn: (times) => below(times) === 0,
  };
}

export interface FuzzRounds {
  /** In `npm test`. */
  readonly few: number;
  /** In `npm run test:faults`. */
  readonly many: number;
}

/** How many rounds this run has. */
export function roundsOf({ few, many }: FuzzRounds): number {
  return isThorough ? many : few;
}

/**
 * Runs the rounds one after the other. The first that throws ends it, with what is needed to see it again: the seed, and
 * GALLEY_FUZZ_ROUND to run that round alone.
 */
export async function fuzz(
  name: string,
  rounds: FuzzRounds,
  work: (chance: Chance, round: number) => void | Promise<void>,
): Promise<number> {
  const only = env["GALLEY_FUZZ_ROUND"];
  const first = only === undefined ? 0 : Number(only);
  const end = only === undefined ? roundsOf(rounds) : first + 1;
  for (let round = first; round < end; round += 1) {
    try {
      await work(chanceOf(name, round), round);
    } catch (cause) {
      const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
      throw new Error(`${name}: GALLEY_FUZZ_SEED=${fuzzSeed} GALLEY_FUZZ_ROUND=${round} fails: ${why}`, { cause });
    }
  }
  return end - first;
}
