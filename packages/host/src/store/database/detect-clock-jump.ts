/** How far the two clocks may drift apart between two checks, in ms. */
const tolerance = 2000;

export interface Clocks {
  /** The time of day, which may be set. */
  readonly wall: () => number;
  /** Only ever goes on. While the machine sleeps it stands still on Linux, and goes on elsewhere. */
  readonly steady: () => number;
}

export const systemClocks: Clocks = { wall: Date.now, steady: () => performance.now() };

/**
 * Gives a function that says what happened to the time since it was called before: the clock was `set` (or stood still while
 * the machine slept), or the call comes `late`, more than `maxGap` ms after the one before. Then all leases look as if they
 * had ended, although those who hold them are at work and only had no time to renew them.
 */
export function detectClockJump(
  maxGap: number,
  { wall, steady }: Clocks = systemClocks,
): () => "set" | "late" | undefined {
  let [offset, checked] = [wall() - steady(), steady()];
  return () => {
    const [offsetNow, checkedNow] = [wall() - steady(), steady()];
    const isSet = Math.abs(offsetNow - offset) > tolerance;
    const isLate = checkedNow - checked > maxGap;
    [offset, checked] = [offsetNow, checkedNow];
    return isSet ? "set" : isLate ? "late" : undefined;
  };
}
