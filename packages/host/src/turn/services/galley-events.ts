/** The kinds of `daemonEvent` in api/events.ts that come from here. */
export type GalleyEventType =
  | "preset:saved"
  | "preset:deleted"
  | "chat:changed"
  | "run:started"
  | "run:ended"
  | "call:recorded"
  | "session:changed"
  | "task:changed"
  | "task:ended"
  | "provider:changed"
  | "agent:changed";

/** What has changed, and which one; never what is in it. */
export interface GalleyEvent {
  readonly type: GalleyEventType;
  /** A preset's id, a chat's key, a run's id, a session's id, a task's id, a provider's or an agent's name. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of a task that has ended: the place where it was handed over, and to which its result returns [A1]. */
  readonly place?: string;
}

/** What changes in a data folder, as it changes. */
export interface GalleyEvents {
  /** Gives the function that ends it. A listener that throws does not affect the others. */
  on(listener: (event: GalleyEvent) => void): () => void;
}

/** Tells listeners what has changed. */
export interface GalleyEmitter extends GalleyEvents {
  emit(type: GalleyEventType, subject: string, place?: string): void;
}

export function galleyEvents(now: () => number): GalleyEmitter {
  const listeners = new Set<(event: GalleyEvent) => void>();
  return {
    on(listener) {
      // One of its own for each call: the same listener may subscribe twice.
      const own = (event: GalleyEvent): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit(type, subject, place) {
      const event: GalleyEvent = { type, subject, at: now(), place };
      // A copy: a listener may come or go while the event is told.
      for (const listener of Array.from(listeners)) {
        try {
          listener(event);
        } catch {
          // A listener must not stop what it listens to.
        }
      }
    },
  };
}
