import { clockWatch, systemClocks } from "../database/clock-watch.ts";
import type { Database } from "../database/database.ts";
import { sweepTurns } from "./sweep-turns.ts";
import type { TurnStore } from "../ports/turn-store.ts";

/**
 * So long workers get to renew their leases, in ms. After the clock was set: three heart-beats of the usual leases. After
 * a look that comes late: timers went on meanwhile, and every heart-beat that is overdue comes at once. Such a look may
 * also be the first of somebody who begins to wait, and should not wait long for that.
 */
const settling = { set: 30_000, late: 5000 };

/** Whoever looks does so every second; the usual lease is longer than this. */
const longestGap = 20_000;

/**
 * Gives the sweep of everybody who looks again and again. All of a process share it: whoever begins to wait just after the
 * clock was set must not take turns away either.
 */
export function tendTurns(database: Database, clocks = systemClocks): TurnStore["tend"] {
  const look = clockWatch({ longestGap, clocks });
  // Not by the time of day, which may be set back.
  let settled = -Infinity;
  return async (now) => {
    const trouble = look();
    if (trouble) settled = Math.max(settled, clocks.steady() + settling[trouble]);
    if (clocks.steady() >= settled) await sweepTurns(database, now);
  };
}
