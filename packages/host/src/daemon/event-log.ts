import type { StreamEvent } from "./http/event-stream.ts";

/** Events that can be followed from the beginning, from a place, or from now on. */
export interface EventLog<Event> {
  push(event: Event): void;
  /** No more will come: whoever follows reads to the end and is done. */
  end(): void;
  readonly isEnded: boolean;
  /**
   * From the event behind `after`. What is too old to be there any more is told by `lost` before the rest; one that reads
   * slower than events come loses some in the same way, and never makes the log longer.
   */
  follow(options: FollowOptions<Event>): AsyncGenerator<StreamEvent<Event>>;
  /** The id of the newest event. */
  readonly lastId: string;
}

export interface FollowOptions<Event> {
  /** An id that was given out before; from the oldest event if absent. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Stands for what is not there any more; nothing is said if absent. */
  readonly lost?: ((id: string) => Event) | undefined;
}

export interface EventLogOptions {
  /** So many events are kept. */
  readonly kept: number;
  /** Part of every id, so that those of another log are not taken for places in this one. */
  readonly name?: string;
}

export function eventLog<Event>({ kept, name = "" }: EventLogOptions): EventLog<Event> {
  const prefix = name === "" ? "" : `${name}-`;
  let events: Event[] = [];
  /** The number of the first that is kept; the very first is 1. */
  let first = 1;
  let isEnded = false;
  let wake = Promise.withResolvers<void>();
  const idOf = (number: number): string => `${prefix}${number}`;
  const tell = (): void => {
    const { resolve } = wake;
    wake = Promise.withResolvers();
    resolve();
  };
  const numberOf = (id: string): number | undefined => {
    const digits = id.startsWith(prefix) ? id.slice(prefix.length) : "";
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
    return number !== undefined && number < first + events.length ? number : undefined;
  };
  return {
    get isEnded() {
      return isEnded;
    },
    get lastId() {
      return idOf(first + events.length - 1);
    },
    push(event) {
      events.push(event);
      // Cut in one piece now and then: taking off the first each time would move all the others.
      if (events.length > kept * 2) {
        first += events.length - kept;
        events = events.slice(-kept);
      }
      tell();
    },
    end() {
      isEnded = true;
      tell();
    },
    async *follow({ after, signal, lost }) {
      const place = after === undefined ? undefined : numberOf(after);
      // An id that this log has not given out is one of a daemon before: nobody knows what came behind it.
      let next = after === undefined ? first : (place ?? -1) + 1;
      const gone = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      while (!signal.aborted) {
        if (next < first) {
          next = first;
          const id = idOf(first - 1);
          if (lost) yield { id, data: lost(id) };
          continue;
        }
        const event = events[next - first];
        if (next - first < events.length) {
          const id = idOf(next);
          next += 1;
          yield { id, data: event as Event };
          continue;
        }
        if (isEnded) return;
        await Promise.race([wake.promise, gone]);
      }
    },
  };
}
