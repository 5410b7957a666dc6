import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { beginImmediate, busyTooLong } from "../../disk/open-sqlite.ts";

/** How many prepared statements a connection keeps. The store has fewer shapes of query than this. */
const keptStatements = 200;

/**
 * How long a caller waits in ms while another process holds the lock of all writers, counted from when it asked. Waiting for
 * other transactions of this process does not count: those come to an end by themselves.
 */
const patience = 10_000;

/**
 * Lets kysely work on one connection of `node:sqlite`. A caller that acquires the connection has it alone until it is
 * released: queries run synchronously, but the code between two queries of a transaction does not.
 */
export function nodeSqliteDialect(db: DatabaseSync): Dialect {
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => new NodeSqliteDriver(db),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Callers queue in our driver: Kysely's own queue knows no patience. */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #db: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  readonly #waiting: Waiting[] = [];
  readonly #locked = new Stopwatch();
  /** Of the caller that has the connection: what its stopwatch will show when its patience is over. */
  #until = 0;
  #isTaken = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#connection = new NodeSqliteConnection(db);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const until = this.#locked.elapsed() + patience;
    if (this.#isTaken) await this.#turn(until);
    this.#isTaken = true;
    this.#until = until;
    return this.#connection;
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

  async beginTransaction(): Promise<void> {
    this.#locked.start();
    try {
      await beginImmediate(this.#db, { patience: this.#until - this.#locked.elapsed() });
    } finally {
      this.#locked.stop();
    }
  }

  async commitTransaction(): Promise<void> {
    this.#db.exec("COMMIT");
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite has rolled back by itself after some errors, such as a full disk.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  async releaseConnection(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      clearTimeout(next.timer);
      // The connection goes from hand to hand: it is not free in between, or a newcomer could slip in.
      if (this.#locked.elapsed() < next.until) return next.resolve();
      next.giveUp();
    }
    this.#isTaken = false;
  }

  async destroy(): Promise<void> {
    this.#db.close();
  }
}

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
  readonly giveUp: () => void;
  timer: NodeJS.Timeout;
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

class NodeSqliteConnection implements DatabaseConnection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // eslint-disable-next-line require-yield
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error("The store does not stream.");
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= keptStatements) this.#statements.clear();
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
