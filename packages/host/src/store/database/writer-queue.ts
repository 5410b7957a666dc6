import type { DatabaseSync } from "node:sqlite";
import { beginImmediate, busyTooLong } from "../../disk/open-sqlite.ts";

/**
 * How long a caller waits in ms while another process holds the lock of all writers, counted from when it asked. Waiting for
 * other transactions of this process does not count: those come to an end by themselves.
 */
const patience = 10_000;

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
  readonly giveUp: () => void;
  timer: NodeJS.Timeout;
}

/**
 * The callers that write through one connection, one after the other: queries run synchronously, but the code between two
 * queries of a transaction does not.
 */
export class WriterQueue {
  readonly #db: DatabaseSync;
  readonly #waiting: Waiting[] = [];
  readonly #locked = new Stopwatch();
  #isTaken = false;
  #isUnsynced = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Runs `work` while nobody else has the connection. */
  async hold<Result>(work: (until: number) => Promise<Result>): Promise<Result> {
    const until = this.#locked.elapsed() + patience;
    if (this.#isTaken) await this.#turn(until);
    this.#isTaken = true;
    try {
      return await work(until);
    } finally {
      this.#release();
    }
  }

  /** Runs `work` in a transaction; unsynced, its commit does not wait for the disk, and the next one that does takes it along. */
  transaction<Result>(work: () => Promise<Result>, { isUnsynced }: { readonly isUnsynced: boolean }): Promise<Result> {
    return this.hold(async (until) => {
      if (isUnsynced !== this.#isUnsynced) this.#db.exec(`PRAGMA synchronous=${isUnsynced ? "NORMAL" : "FULL"}`);
      this.#isUnsynced = isUnsynced;
      await this.#begin(until);
      try {
        const result = await work();
        this.#db.exec("COMMIT");
        return result;
      } catch (error) {
        // SQLite has rolled back by itself after some errors, such as a full disk.
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  async #begin(until: number): Promise<void> {
    this.#locked.start();
    try {
      await beginImmediate(this.#db, { patience: until - this.#locked.elapsed() });
    } finally {
      this.#locked.stop();
    }
  }

  /** Waits until the connection is handed over, at most until the lock of another process has used up the patience. */
  #turn(until: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const check = (): void => {
        const left = until - this.#locked.elapsed();
        if (left > 0) waiting.timer = setTimeout(check, left);
        else {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          waiting.giveUp();
        }
      };
      const giveUp = (): void => reject(busyTooLong(this.#db));
      const waiting: Waiting = { until, resolve, giveUp, timer: setTimeout(check, patience) };
      this.#waiting.push(waiting);
    });
  }

  #release(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      clearTimeout(next.timer);
      // The connection goes from hand to hand: it is not free in between, or a newcomer could slip in.
      if (this.#locked.elapsed() < next.until) return next.resolve();
      next.giveUp();
    }
    this.#isTaken = false;
  }
}

/** Adds up the time between `start` and `stop`, in ms. */
class Stopwatch {
  #before = 0;
  #since: number | undefined;

  start(): void {
    this.#since = performance.now();
  }

  stop(): void {
    this.#before = this.elapsed();
    this.#since = undefined;
  }

  elapsed(): number {
    return this.#before + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }
}
