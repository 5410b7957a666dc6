import type { StreamEvent } from "../http/event-stream.ts";

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

interface FollowOptions<Event> {
  /** An id that was given out before; from the oldest event if absent. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Stands for what is not there any more; nothing is said if absent. */
  readonly lost?: ((id: string) => Event) | undefined;
}

export interface EventLogOptions {
  /** So many events are kept. */
  readonly kept: number;
  /** Of them as many as have this size together, in characters of JSON; however large they are if absent. */
  readonly keptSize?: number;
  /** Part of every id, so that those of another log are not taken for places in this one. */
  readonly name?: string;
}

/** What is kept, and who waits for more. */
class KeptEvents<Event> {
  readonly #kept: number;
  readonly #prefix: string;
  readonly #keptSize: number;
  #events: Event[] = [];
  #sizes: number[] = [];
  #size = 0;
  /** The number of the first that is kept; the very first is 1. */
  first = 1;
  isEnded = false;
  wake = Promise.withResolvers<void>();

  constructor({ kept, keptSize = Infinity, name = "" }: EventLogOptions) {
    this.#kept = kept;
    this.#keptSize = keptSize;
    this.#prefix = name === "" ? "" : `${name}-`;
  }

  get end(): number {
    return this.first + this.#events.length;
  }

  at(number: number): Event {
    return this.#events[number - this.first] as Event;
  }

  idOf(number: number): string {
    return `${this.#prefix}${number}`;
  }

  /** Nothing for an id that was never given out here. */
  numberOf(id: string): number | undefined {
    const digits = id.startsWith(this.#prefix) ? id.slice(this.#prefix.length) : "";
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
    return number !== undefined && number < this.end ? number : undefined;
  }

  push(event: Event): void {
    this.#events.push(event);
    // Cut in one piece now and then: taking off the first each time would move all the others.
    if (this.#events.length > this.#kept * 2) this.#forget(this.#events.length - this.#kept);
    if (this.#keptSize === Infinity) return;
    const size = JSON.stringify(event)?.length ?? 0;
    this.#sizes.push(size);
    this.#size += size;
    if (this.#size <= this.#keptSize) return;
    let [count, left] = [0, this.#size];
    // The newest stays, whatever its size: somebody waits for it.
    while (left > this.#keptSize / 2 && count < this.#sizes.length - 1) left -= this.#sizes[count++] ?? 0;
    this.#forget(count);
  }

  #forget(count: number): void {
    this.first += count;
    this.#events = this.#events.slice(count);
    for (const size of this.#sizes.splice(0, count)) this.#size -= size;
  }

  tell(): void {
    const { resolve } = this.wake;
    this.wake = Promise.withResolvers();
    resolve();
  }
}

export function eventLog<Event>(options: EventLogOptions): EventLog<Event> {
  const events = new KeptEvents<Event>(options);
  return {
    get isEnded() {
      return events.isEnded;
    },
    get lastId() {
      return events.idOf(events.end - 1);
    },
    push(event) {
      events.push(event);
      events.tell();
    },
    end() {
      events.isEnded = true;
      events.tell();
    },
    follow: (from) => follow(events, from),
  };
}

async function* follow<Event>(
  events: KeptEvents<Event>,
  { after, signal, lost }: FollowOptions<Event>,
): AsyncGenerator<StreamEvent<Event>> {
  // An id that this log has not given out is one of a daemon before: nobody knows what came behind it.
  let next = after === undefined ? events.first : (events.numberOf(after) ?? -1) + 1;
  while (!signal.aborted) {
    if (next < events.first) {
      next = events.first;
      const id = events.idOf(next - 1);
      if (lost) yield { id, data: lost(id) };
    } else if (next < events.end) {
      const item = { id: events.idOf(next), data: events.at(next) };
      next += 1;
      yield item;
    } else if (events.isEnded) return;
    else await woken(events.wake.promise, signal);
  }
}

/** A listener of its own for each wait: a race with one promise for all of them would hold on to every one that it lost. */
function woken(wake: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done);
      resolve();
    };
    signal.addEventListener("abort", done, { once: true });
    void wake.then(done);
  });
}
