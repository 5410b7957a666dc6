import { clockWatch, systemClocks } from "../database/detect-clock-jump.ts";
import type { Database } from "../database/database.ts";
import { sweepTasks } from "./sweep-tasks.ts";
import type { TaskStore } from "../ports/task-store.ts";

/**
 * So long workers get to renew their leases, in ms. After the clock was set: three heart-beats of the usual leases. After
 * a look that comes late: timers went on meanwhile, and every heart-beat that is overdue comes at once. Such a look may
 * also be the first of somebody who begins to wait, and should not wait long for that.
 */
const settling = { set: 30_000, late: 5000 };

/** Whoever looks does so every second; the usual lease is longer than this. */
const maxGap = 20_000;

/**
 * Gives the sweep of everybody who looks again and again. All of a process share it: whoever begins to wait just after the
 * clock was set must not take turns away either.
 */
export function sweepUnlessClockJumped(database: Database, clocks = systemClocks): TaskStore["tend"] {
  const look = clockWatch({ maxGap, clocks });
  // Not by the time of day, which may be set back.
  let settled = -Infinity;
  return async (now) => {
    const trouble = look();
    if (trouble) settled = Math.max(settled, clocks.steady() + settling[trouble]);
    if (clocks.steady() >= settled) await sweepTasks(database, now);
  };
}
