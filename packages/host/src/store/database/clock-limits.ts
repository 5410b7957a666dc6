// Times in the store come from clocks, and clocks are set: back an hour, or to a wrong year and right again. What lies far
// further ahead than anybody may ask for was written by a clock that was wrong, and must not be waited for. The limits
// are twice what is given: the clocks of two machines differ a little, and a full lease must not look impossible then.

/** The longest lease that is given, in ms. */
export const maxLease = 10 * 60_000;

/** The longest that a task waits in the queue before it is tried again, in ms. */
export const maxDelay = 10 * 60_000;

/** A lease that ends later than this many ms from now was given by a wrong clock. */
export const impossibleLease = 2 * maxLease;

/** A task that is put off for longer than this, in ms, was put off by a wrong clock. */
export const impossibleDelay = 2 * maxDelay;
