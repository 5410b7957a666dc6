import type { DatabaseSync } from "node:sqlite";
import { Kysely, type RawBuilder, sql } from "kysely";
import type { Database, Reader, Transaction } from "./database.ts";
import { migrations } from "./migrations.ts";
import { nodeSqliteDialect } from "./node-sqlite-dialect.ts";
import { immediateAsync, openSqlite } from "./open-sqlite.ts";
import { tooNew } from "./schema-version.ts";
import type { CardRow, SessionEntryRow, Tables } from "./tables.ts";

export interface SqliteDatabase extends Database {
  /** Calls `listener` after a transaction of this process has put turns into the queue. Gives what ends that. */
  onDelivery(listener: () => void): () => void;
}

/** Opens the embedded database, and brings it to the present version. Several processes may do so at once. */
export async function sqliteDatabase(file: string): Promise<SqliteDatabase> {
  // What is deleted is overwritten: a deleted card must not be found in the file.
  const writer = openSqlite(file, { secureDelete: true });
  try {
    await migrateSqlite(writer);
  } catch (error) {
    writer.close();
    throw error;
  }
  // Reads have a connection of their own, so that they never wait for writers of other processes.
  const reader: Reader = { query: kyselyOn(openSqlite(file)), listed };
  const write = kyselyOn(writer);
  const inserts = preparedInserts(writer);
  const listeners = new Set<() => void>();
  return {
    kind: "sqlite",
    read: (work) => work(reader),
    async transaction(work) {
      let delivers = false;
      const result = await write.transaction().execute((query) => {
        const tx: Transaction = {
          query,
          listed,
          ...inserts,
          // The write lock holds everything, and the turns themselves are the queue.
          hold: async () => {},
          deliver: async (due) => {
            delivers ||= due.length > 0;
          },
        };
        return work(tx);
      });
      if (delivers) for (const listener of listeners) listener();
      return result;
    },
    onDelivery(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await reader.query.destroy();
      await write.destroy();
    },
  };
}

function kyselyOn(db: DatabaseSync): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(db) });
}

function listed(values: readonly string[]): RawBuilder<string> {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** Rows by the thousand go through one prepared statement; building a query for each would cost more than the write. */
function preparedInserts(db: DatabaseSync): Pick<Transaction, "insertCards" | "insertEntries"> {
  const card = db.prepare("INSERT OR IGNORE INTO cards VALUES (?, ?, ?, ?, ?, ?)");
  const entry = db.prepare("INSERT INTO session_entries VALUES (?, ?, ?, ?, ?)");
  return {
    async insertCards(rows: readonly CardRow[]) {
      let added = 0;
      for (const row of rows) {
        const { project_id, card_id, type, author_id, created_at, body } = row;
        added += Number(card.run(project_id, card_id, type, author_id, created_at, body).changes);
      }
      return added;
    },
    async insertEntries(rows: readonly SessionEntryRow[]) {
      for (const { project_id, session_id, position, entry_id, body } of rows) {
        entry.run(project_id, session_id, position, entry_id, body);
      }
    },
  };
}

async function migrateSqlite(db: DatabaseSync): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  if (versionOf(db) === newest) return;
  await immediateAsync(db, () => {
    const version = versionOf(db);
    if (version > newest) throw tooNew(db.location() ?? "The database", version, newest);
    for (const step of migrations) if (step.version > version) db.exec(step.sqlite);
    db.exec(`PRAGMA user_version=${newest}`);
  });
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
}
