/** By so much the two clocks may differ between two looks, in ms. */
const tolerance = 2000;

export interface Clocks {
  /** The time of day, which may be set. */
  readonly wall: () => number;
  /** Only ever goes on. While the machine sleeps it stands still on Linux, and goes on elsewhere. */
  readonly steady: () => number;
}

export interface ClockWatchOptions {
  /** Whoever looks later than so many ms after the look before was stopped or asleep; without it, any time may pass. */
  readonly maxGap?: number;
  readonly clocks?: Clocks;
}

export const systemClocks: Clocks = { wall: Date.now, steady: () => performance.now() };

/**
 * Gives a function that says what happened to the time since it was asked before: the clock was `set` (or stood still while
 * the machine slept), or the look comes too `late`. Then all leases look as if they had ended, although those who hold
 * them are at work and only had no time to renew them.
 */
export function clockWatch({
  maxGap = Infinity,
  clocks: { wall, steady } = systemClocks,
}: ClockWatchOptions = {}): () => "set" | "late" | undefined {
  let [before, looked] = [wall() - steady(), steady()];
  return () => {
    const [now, looks] = [wall() - steady(), steady()];
    const isSet = Math.abs(now - before) > tolerance;
    const isLate = looks - looked > maxGap;
    [before, looked] = [now, looks];
    return isSet ? "set" : isLate ? "late" : undefined;
  };
}
