/** One piece of work at a time in a place: the next waits for the one before; other places do not. */
export interface PlaceQueue {
  /** The work must not throw. */
  add(place: string, work: () => Promise<void>): void;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
}

export function serialQueue(): PlaceQueue {
  const last = new Map<string, Promise<void>>();
  return {
    add(place, work) {
      const turn = (last.get(place) ?? Promise.resolve()).then(work).finally(() => {
        if (last.get(place) === turn) last.delete(place);
      });
      last.set(place, turn);
    },
    async idle() {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}
