import { type Kysely, sql } from "kysely";
import { migrations } from "./migrations.ts";
import { tooNew } from "./schema-version.ts";
import type { Tables } from "./tables.ts";

/** Any number that nothing else locks. */
const migrationLock = 4_715_553_201;

/** Makes or updates our tables. Who comes second waits and finds the work done. */
export async function migratePostgres(db: Kysely<Tables>): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx);
    await sql`create schema if not exists galley`.execute(tx);
    await sql`create table if not exists galley_schema (version integer not null)`.execute(tx);
    const { rows } = await sql<{ version: number }>`select version from galley_schema`.execute(tx);
    const version = rows[0]?.version ?? 0;
    if (version > newest) throw tooNew("The database", version, newest);
    if (version === newest) return;
    for (const step of migrations) if (step.version > version) await sql.raw(step.postgres).execute(tx);
    await sql`delete from galley_schema`.execute(tx);
    await sql`insert into galley_schema values (${newest})`.execute(tx);
  });
}
