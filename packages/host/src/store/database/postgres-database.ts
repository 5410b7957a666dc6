import { GalleyError } from "@galley/engine";
import { Kysely, PostgresDialect, type RawBuilder, sql } from "kysely";
import pg from "pg";
import type { Database, Due, Reader, Transaction } from "./database.ts";
import { migrations, newestVersion, tooNew } from "./migrations.ts";
import { withRetries } from "./postgres-retries.ts";
import type { Tables } from "./tables.ts";
import { messageOf } from "../../disk/storage-error.ts";

export interface PostgresOptions {
  readonly url: string;
  /** The most connections that this process holds for queries. Default 10. */
  readonly connections?: number;
  /** How long in ms an operation waits for a server that is away. Default 60 s. */
  readonly patience?: number;
}

/** Puts tasks into the queue as a part of the transaction that it is given. */
export type Deliver = (query: Kysely<Tables>, due: readonly Due[]) => Promise<void>;

/** Opens a PostgreSQL database, and brings it to the present version. Several processes may do so at once. */
export async function postgresDatabase(options: PostgresOptions, deliver: Deliver): Promise<Database> {
  const pool = new pg.Pool(poolConfig(options));
  // A connection that breaks while no query runs, in the pool or between two queries of a transaction, would otherwise
  // end the process. The next query gets the error, or a new connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await withRetries(() => migratePostgres(query), { patience: 0 });
  } catch (error) {
    await query.destroy();
    throw notOpened(error);
  }
  const written = new Map<string, string>();
  const reader: Reader = { query, written, listed, leaseTime: (now) => leaseTime(query, now) };
  return {
    kind: "postgres",
    read: (work) => withRetries(() => work(reader), options),
    transaction: (work) =>
      withRetries(() => query.transaction().execute((inner) => work(transactionOn(inner, written, deliver))), options),
    // When the server lets go of deleted rows is its own affair (autovacuum).
    wipe: () => Promise.resolve(),
    close: () => query.destroy(),
  };
}

/** Any number that nothing else locks. */
const migrationLock = 4_715_553_201;

/** Makes or updates our tables. A second process waits, and finds the work done. */
async function migratePostgres(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx);
    await sql`create schema if not exists galley`.execute(tx);
    await sql`create table if not exists galley_schema (version integer not null)`.execute(tx);
    const { rows } = await sql<{ version: number }>`select version from galley_schema`.execute(tx);
    const version = rows[0]?.version ?? 0;
    if (version > newestVersion) throw tooNew("The database", version);
    if (version === newestVersion) return;
    for (const step of migrations) if (step.version > version) await sql.raw(step.postgres).execute(tx);
    await sql`delete from galley_schema`.execute(tx);
    await sql`insert into galley_schema values (${newestVersion})`.execute(tx);
  });
}

function notOpened(cause: unknown): GalleyError {
  if (cause instanceof GalleyError) return cause;
  return new GalleyError("StoreUnavailable", `The PostgreSQL database cannot be opened: ${messageOf(cause)}.`, {
    hint: "Check the user, the password and the name of the database, and that the user may create a schema in it.",
    cause,
  });
}

/** Tables of our own schema, numbers for BIGINT: times and counts fit into a double. */
function poolConfig({ url, connections = 10 }: PostgresOptions): pg.PoolConfig {
  return {
    connectionString: url,
    max: connections,
    options: "-c search_path=galley",
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: (id, format) => (id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format)),
    },
  };
}

function listed(values: readonly string[]): RawBuilder<string> {
  return sql`(select unnest(${values}::text[]))`;
}

/** Clocks that differ by less than this, in ms, count as the same: leases last longer. */
const sameClock = 2000;

/** By the clock of the server, which all machines share. */
async function leaseTime(query: Kysely<Tables>, now: number): Promise<number> {
  const time = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const { rows } = await time.execute(query);
  const ahead = (rows[0]?.now ?? Date.now()) - Date.now();
  return Math.abs(ahead) < sameClock ? now : now + ahead;
}

function transactionOn(query: Kysely<Tables>, written: Map<string, string>, deliver: Deliver): Transaction {
  return {
    query,
    written,
    listed,
    leaseTime: (now) => leaseTime(query, now),
    insertMany: (table, rows, which) => insertMany(query, table, rows, which),
    async hold(...names) {
      // In one order, so that two transactions that need the same ones do not hold one each.
      for (const name of [...new Set(names)].toSorted()) {
        await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(query);
      }
    },
    deliver: (due) => (due.length > 0 ? deliver(query, due) : Promise.resolve()),
  };
}

/** One list for each column: a statement has room for few parameters. */
async function insertMany(
  query: Kysely<Tables>,
  table: string,
  rows: readonly object[],
  which: "all" | "new",
): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  const columns = Object.entries(first).map(([name, value], index) => {
    const list = rows.map((row): unknown => Object.values(row)[index]);
    return { name: sql.ref(name), list: sql`${list}::${sql.raw(typeof value === "number" ? "bigint" : "text")}[]` };
  });
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => name))})
    select * from unnest(${sql.join(columns.map(({ list }) => list))})
    ${sql.raw(which === "new" ? "on conflict do nothing" : "")}`.execute(query);
  return Number(numAffectedRows);
}
