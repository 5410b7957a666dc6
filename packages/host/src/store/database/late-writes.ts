import { GalleyError } from "@galley/engine";
import type { Database, Transaction } from "./database.ts";
import type { WriteOptions } from "../ports/run-store.ts";

/** How long in ms a late write waits for a transaction that takes it along, if nothing else is said. */
const usualPatience = 50;
/** How often one is tried that the database refuses. */
const maxTries = 3;

interface LateWrite {
  /** What it changes; reads of that wait for it. */
  readonly about: string;
  readonly canBeMadeAgain: boolean;
  /** Of `performance.now()`. */
  readonly until: number;
  /** Says in the transaction how it went, and gives what tells its caller once that is committed. */
  readonly write: (tx: Transaction) => Promise<() => void>;
  readonly giveUp: (error: unknown) => void;
  tries: number;
}

export interface LateOptions extends WriteOptions {
  /** Of a late one. */
  readonly canBeMadeAgain?: boolean;
  /** How long it may wait, in ms. */
  readonly patience?: number;
}

/** A database in which some writes need no commit of their own: the next transaction takes them along. */
export interface LateDatabase extends Database {
  /**
   * Writes at once, or late: in the next transaction of this process, in front of what that writes itself, or alone if none comes
   * soon. Resolves when it is committed. `work` queries first and throws before it writes; its error is its caller's alone.
   */
  write<Result>(about: string, work: (tx: Transaction) => Promise<Result>, options?: LateOptions): Promise<Result>;
  /** Resolves when nothing about this waits to be written; without a name, nothing at all. */
  settled(about?: string): Promise<void>;
}

/** A commit waits for the disk: what happens one after the other within a moment shares one. */
export function withLateWrites(database: Database): LateDatabase {
  const room = waitingRoom(() => void settled());
  const flying = new Map<Promise<unknown>, readonly LateWrite[]>();
  let isClosed = false;

  const transaction: Database["transaction"] = (work, options = {}) => {
    const late = room.takeAll();
    if (late.length === 0) return database.transaction(work, options);
    const joint = together(database, late, work, options);
    const result = joint.done.catch((error: unknown) => {
      const failed = joint.failedIn();
      for (const write of late) {
        // A fault of another write, or of the transaction itself, is not the fault of this one.
        if (failed === write || failed === "commit") write.tries += 1;
        if (write.tries < maxTries) room.add(write);
        else write.giveUp(error);
      }
      if (typeof failed === "object") return database.transaction(work, options);
      throw error;
    });
    const flight = result.catch(() => undefined).finally(() => flying.delete(flight));
    flying.set(flight, late);
    return result;
  };
  /** Never throws: those who wait for a late write are told by it. */
  const settled = async (about?: string): Promise<void> => {
    // One that the database did not take waits again, until it is in or was given up. Others may come all the time.
    for (let time = 0; time <= 2 * maxTries; time += 1) {
      const own = [...flying].flatMap(([flight, late]) =>
        late.some((write) => isAbout(write, about)) ? [flight] : [],
      );
      if (room.holds(about)) await transaction(async () => undefined, { canBeMadeAgain: true }).catch(() => undefined);
      else if (own.length > 0) await Promise.all(own);
      else return;
    }
  };
  return {
    ...database,
    transaction,
    write(about, work, { isLate = false, ...options } = {}) {
      // After the close: whatever the database then says.
      if (isClosed) return database.transaction(work);
      return isLate ? wait(room, about, work, options) : transaction(work);
    },
    settled,
    async close() {
      isClosed = true;
      await settled();
      await Promise.all(flying.keys());
      await database.close();
    },
  };
}

interface WaitingRoom {
  add(write: LateWrite): void;
  takeAll(): readonly LateWrite[];
  /** Whether something about this waits; without a name, anything at all. */
  holds(about?: string): boolean;
}

/** Calls back when the patience of the first one is over. */
function waitingRoom(onDue: () => void): WaitingRoom {
  const waiting = new Set<LateWrite>();
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;
  const arm = (until: number): void => {
    clearTimeout(timer);
    due = until;
    timer = setTimeout(lookAgain, Math.max(1, until - performance.now()));
  };
  const lookAgain = (): void => {
    due = Infinity;
    const first = Math.min(...[...waiting].map(({ until }) => until));
    if (first > performance.now() + 1) {
      if (waiting.size > 0) arm(first);
    } else onDue();
  };
  return {
    add(write) {
      waiting.add(write);
      // A timer that is set already and comes no later serves this one too: most writes are taken along long before.
      if (write.until < due) arm(write.until);
      else timer?.ref();
    },
    takeAll() {
      timer?.unref();
      const taken = [...waiting];
      waiting.clear();
      return taken;
    },
    holds: (about) => [...waiting].some((write) => isAbout(write, about)),
  };
}

function isAbout(write: LateWrite, about: string | undefined): boolean {
  return about === undefined || write.about === about;
}

function wait<Result>(
  room: WaitingRoom,
  about: string,
  work: (tx: Transaction) => Promise<Result>,
  { canBeMadeAgain = false, patience = usualPatience }: LateOptions,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const write = async (tx: Transaction): Promise<() => void> => {
      try {
        const result = await work(tx);
        return () => resolve(result);
      } catch (error) {
        if (!(error instanceof GalleyError)) throw error;
        return () => reject(error);
      }
    };
    const until = performance.now() + patience;
    room.add({ about, canBeMadeAgain, until, write, giveUp: reject, tries: 0 });
  });
}

interface Joint<Result> {
  readonly done: Promise<Result>;
  /** Where an error came from, if one did: one of those that had waited, what came now, or begin and commit. */
  failedIn(): LateWrite | "work" | "commit";
}

/** One transaction for what has waited and for what comes now; it waits for the disk if any part of it has to. */
function together<Result>(
  database: Database,
  late: readonly LateWrite[],
  work: (tx: Transaction) => Promise<Result>,
  { canBeMadeAgain = false }: { readonly canBeMadeAgain?: boolean },
): Joint<Result> {
  let stage: LateWrite | "work" | "commit" = "commit";
  let written: (() => void)[] = [];
  const writeAll = async (tx: Transaction): Promise<Result> => {
    written = [];
    for (const each of late) {
      stage = each;
      written.push(await each.write(tx));
    }
    stage = "work";
    const result = await work(tx);
    stage = "commit";
    return result;
  };
  const isAnyDurable = !canBeMadeAgain || late.some((write) => !write.canBeMadeAgain);
  const done = database.transaction(writeAll, { canBeMadeAgain: !isAnyDurable }).then((result) => {
    for (const tell of written) tell();
    return result;
  });
  return { done, failedIn: () => stage };
}
