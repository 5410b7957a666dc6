import type { Kysely, RawBuilder } from "kysely";
import type { Rows, Tables } from "./tables.ts";
import type { Delivery } from "../ports/task-queue.ts";

/** A task that is to be delivered, and when. */
export interface Due extends Delivery {
  readonly notBefore: number;
}

export interface Reader {
  readonly query: Kysely<Tables>;
  /** The SQL of queries that are made again and again, by their shape: building one costs more than running it. */
  readonly written: Map<string, string>;
  /** Runs SQL at once, where the database is in this process. */
  readonly run?: (sql: string, values: readonly unknown[]) => readonly unknown[];
  /** A list of strings as a subquery: `where("card_id", "in", listed(ids))`. One parameter, however long the list. */
  listed(values: readonly string[]): RawBuilder<string>;
  /**
   * A caller's time of day by the one clock that leases go by. Machines that share a database each have a clock of their own,
   * and one that is set must neither lose its work to the others nor take theirs.
   */
  leaseTime(now: number): Promise<number>;
}

/** What a transaction can do beyond queries; each database does these in its own way. */
export interface Transaction extends Reader {
  /** Adds rows by the thousand; `new` only those whose key is not there yet. Gives their number. */
  insertMany<Name extends "cards" | "session_entries">(
    table: Name,
    rows: readonly Rows[Name][],
    which: "all" | "new",
  ): Promise<number>;
  /**
   * Holds whatever the names stand for (a tree of tasks, an agent, a session) against other transactions that hold it,
   * until this one ends. Taken before the rows, so that two children that end at once cannot wait for each other.
   */
  hold(...names: readonly string[]): Promise<void>;
  /** Delivers tasks once this transaction is committed. */
  deliver(due: readonly Due[]): Promise<void>;
}

interface TransactionOptions {
  /**
   * True for what can be made again: a commit then does not wait for the disk. It is there for every process and survives the
   * end of this one; a loss of power may take the last ones away, whole.
   */
  readonly canBeMadeAgain?: boolean;
}

/** One database with the schema in place. */
export interface Database {
  readonly kind: "sqlite" | "postgres";
  /** Runs `work` on what has been committed. */
  read<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction that writes. Both this and `read` may run `work` more than once (a deadlock, a server
   * that restarts), so that it must do nothing but query.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** After a deletion that was asked for to be for good: what was deleted leaves the log of the database's own file, too [M7]. */
  wipe(): Promise<void>;
  /** What the database finds wrong with its own file, in its own words; nothing when it is sound. Only for a file of ours. */
  checkFile?(): readonly string[];
  close(): Promise<void>;
}
