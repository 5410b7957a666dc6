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
import { beginImmediate } from "../../disk/open-sqlite.ts";

/** How many prepared statements a connection keeps. The store has fewer shapes of query than this. */
const keptStatements = 200;

/**
 * Lets kysely work on one connection of `node:sqlite`. Who acquires the connection has it alone until it is released:
 * queries run synchronously, but the code between two queries of a transaction does not.
 */
export function nodeSqliteDialect(db: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(db),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class NodeSqliteDriver implements Driver {
  readonly #db: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#connection = new NodeSqliteConnection(db);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    await beginImmediate(this.#db);
  }

  async commitTransaction(): Promise<void> {
    this.#db.exec("COMMIT");
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite has rolled back by itself after some errors, such as a full disk.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    // The connection goes from hand to hand: it is not free in between, or a newcomer could slip in.
    if (next) next();
    else this.#isTaken = false;
  }

  async destroy(): Promise<void> {
    this.#db.close();
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
