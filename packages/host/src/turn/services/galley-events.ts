import type { GalleyEvent, GalleyEventType, GalleyEvents } from "../../galley/galley.ts";

/** Tells whoever listens what has changed. */
export interface GalleyEmitter extends GalleyEvents {
  emit(type: GalleyEventType, subject: string): void;
}

export function galleyEvents(now: () => number): GalleyEmitter {
  const listeners = new Set<(event: GalleyEvent) => void>();
  return {
    on(listener) {
      // One of its own for each call: who listens twice with one function ends only once each time.
      const own = (event: GalleyEvent): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit(type, subject) {
      const event: GalleyEvent = { type, subject, at: now() };
      // A copy: a listener may come or go while the event is told.
      for (const listener of Array.from(listeners)) {
        try {
          listener(event);
        } catch {
          // Whoever listens must not stop what they listen to.
        }
      }
    },
  };
}
