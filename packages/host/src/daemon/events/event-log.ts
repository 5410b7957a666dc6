import { randomBytes } from "node:crypto";
import type { RouteReply } from "../../api/index.ts";
import type { StreamEvent } from "../http/event-stream.ts";

interface FollowOptions<Event> {
  /** An id that was given out before; from the oldest event if absent. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Stands for what is not there any more; nothing is said if absent. */
  readonly lost?: (id: string) => Event;
}

interface EventLogOptions {
  readonly kept: number;
  /** Of them as many as have this size together, in characters of JSON; however large they are if absent. */
  readonly keptSize?: number;
  /** Part of every id, so that those of another log are not taken for places in this one. */
  readonly name?: string;
}

/** Events that can be followed from the beginning, from a place, or from now on. */
export class EventLog<Event> {
  readonly #kept: number;
  readonly #prefix: string;
  readonly #keptSize: number;
  #events: Event[] = [];
  #sizes: number[] = [];
  #size = 0;
  /** The number of the first that is kept; the very first is 1. */
  #first = 1;
  #isEnded = false;
  #wake = Promise.withResolvers<void>();

  constructor({ kept, keptSize = Infinity, name = "" }: EventLogOptions) {
    this.#kept = kept;
    this.#keptSize = keptSize;
    this.#prefix = name === "" ? "" : `${name}-`;
  }

  get lastId(): string {
    return this.#idOf(this.#end - 1);
  }

  get nextId(): string {
    return this.#idOf(this.#end);
  }

  push(event: Event): void {
    this.#events.push(event);
    // Cut in one piece now and then: taking off the first each time would move all the others.
    if (this.#events.length > this.#kept * 2) this.#forget(this.#events.length - this.#kept);
    if (this.#keptSize !== Infinity) this.#limitSize(event);
    this.#tell();
  }

  /** No more will come: those that follow read to the end and are done. */
  end(): void {
    this.#isEnded = true;
    this.#tell();
  }

  /**
   * From the event behind `after`. What is too old to be there any more is told by `lost` before the rest; one that reads
   * slower than events come loses some in the same way, and never makes the log longer.
   */
  async *follow({ after, signal, lost }: FollowOptions<Event>): AsyncGenerator<StreamEvent<Event>> {
    // An id that this log has not given out is one of a daemon before: what came behind it is unknown.
    let next = after === undefined ? this.#first : (this.#numberOf(after) ?? -1) + 1;
    while (!signal.aborted) {
      if (next < this.#first) {
        next = this.#first;
        const id = this.#idOf(next - 1);
        if (lost) yield { id, data: lost(id) };
      } else if (next < this.#end) {
        const item = { id: this.#idOf(next), data: this.#events[next - this.#first] as Event };
        next += 1;
        yield item;
      } else if (this.#isEnded) return;
      else await woken(this.#wake.promise, signal);
    }
  }

  get #end(): number {
    return this.#first + this.#events.length;
  }

  #idOf(number: number): string {
    return `${this.#prefix}${number}`;
  }

  /** Nothing for an id that was never given out here. */
  #numberOf(id: string): number | undefined {
    const digits = id.startsWith(this.#prefix) ? id.slice(this.#prefix.length) : "";
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
    return number !== undefined && number < this.#end ? number : undefined;
  }

  #limitSize(event: Event): void {
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
    this.#first += count;
    this.#events = this.#events.slice(count);
    for (const size of this.#sizes.splice(0, count)) this.#size -= size;
  }

  #tell(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
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

type DaemonEvent = RouteReply<"events.follow">;

/** What changes in a daemon, for pages that show it. */
export interface DaemonEvents {
  readonly log: EventLog<DaemonEvent>;
  tell(type: DaemonEvent["type"], subject: string, place?: string): void;
}

/** How many are kept for clients that come back. */
const keptEvents = 2000;

export function daemonEvents(): DaemonEvents {
  const log = new EventLog<DaemonEvent>({ kept: keptEvents, name: randomBytes(4).toString("hex") });
  return {
    log,
    tell: (type, subject, place) => log.push({ id: log.nextId, type, at: Date.now(), subject, place }),
  };
}

/** Says that events were missed: a client that reads it asks for everything again. */
export function lostEvents(id: string): DaemonEvent {
  return { id, type: "events:lost", at: Date.now(), subject: "" };
}
