/** A time after which something is stopped; it can stand still meanwhile. */
export interface TimeLimit {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** The time stands still until the work is done. */
  readonly standStill: <Value>(work: Promise<Value>) => Promise<Value>;
  readonly end: () => void;
}

export function timeLimit(milliseconds: number): TimeLimit {
  const controller = new AbortController();
  let left = milliseconds;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const go = (): void => {
    if (isEnded) return;
    since = performance.now();
    timer = setTimeout(() => controller.abort(), Math.max(0, left));
  };
  const stop = (): void => {
    clearTimeout(timer);
    left -= performance.now() - since;
  };
  go();
  return {
    signal: controller.signal,
    async standStill(work) {
      stop();
      try {
        return await work;
      } finally {
        go();
      }
    },
    end() {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}
