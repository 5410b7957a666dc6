import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { Kysely, type RawBuilder, sql } from "kysely";
import type { Database, Due, Reader, Transaction } from "./database.ts";
import { migrations, newestVersion, tooNew } from "./migrations.ts";
import { nodeSqliteDialect, statements } from "./node-sqlite-dialect.ts";
import { type DatabaseOwner, claimDatabase, isClaimed } from "../../disk/database-owner.ts";
import { type SqliteOptions, immediateAsync, isBusy, isUnusable, openSqlite } from "../../disk/open-sqlite.ts";
import { checkpoints } from "../../disk/sqlite-checkpoint.ts";
import { type FileProbe, rememberSound, reportCorruption } from "./report-corruption.ts";
import { makeFile, moveEntry, removeFiles } from "../../disk/data-files.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import { checkOpened } from "../../disk/opened-folders.ts";
import { syncFolder } from "../../disk/private-folder.ts";
import { copyOf, removeCopies } from "../../disk/store-files.ts";
import { WriterQueue } from "./writer-queue.ts";
import type { Tables } from "./tables.ts";
import { messageOf } from "../../disk/storage-error.ts";

export interface SqliteDatabase extends Database {
  /** Calls `listener` after a transaction of this process has put tasks into the queue. Gives what ends that. */
  onDelivery(listener: () => void): () => void;
}

/** Opens the embedded database, and brings it to the present version. Several processes may do so at once. */
export async function sqliteDatabase(file: string): Promise<SqliteDatabase> {
  const opening: FileProbe = { refuseNewer: () => undefined, isSound: () => isSoundFile(file) };
  const { writer, readerDb } = await reportCorruption(file, () => connect(file), opening);
  const base = { written: new Map<string, string>(), listed, leaseTime };
  const reader: Reader = { ...base, query: kyselyOn(readerDb), run: runner(statements(readerDb)) };
  const write = kyselyOn(writer);
  const queue = new WriterQueue(writer);
  const logs = checkpoints(writer, file);
  // Within a transaction, which has the connection for itself.
  const prepare = statements(writer);
  const runWrite = runner(prepare);
  const listeners = new Set<() => void>();
  const checkFile = (): readonly string[] => integrityOf(writer);
  const isSound = rememberSound(() => checkFile().length === 0);
  const probe: FileProbe = { refuseNewer: () => refuseNewerVersion(writer), isSound };
  const guarded = <Result>(work: () => Promise<Result>): Promise<Result> => reportCorruption(file, work, probe);
  return {
    kind: "sqlite",
    read: (work) => guarded(() => work(reader)),
    async transaction(work, { canBeMadeAgain = false } = {}) {
      let delivers = false;
      const { insertMany, isLong } = inserter(prepare);
      const tx = {
        ...base,
        run: runWrite,
        insertMany,
        // The write lock holds everything, and the tasks themselves are the queue.
        hold: async () => {},
        deliver: async (due: readonly Due[]) => void (delivers ||= due.length > 0),
      };
      const makeAll = async (): Promise<Awaited<ReturnType<typeof work>>> => {
        const done = await work({ query: write, ...tx });
        // What can be made again may be written to a folder that was moved away: it is not acknowledged below.
        if (!canBeMadeAgain) checkOpened(file);
        if (isLong()) logs.postpone();
        return done;
      };
      const writing = guarded(() => queue.transaction(makeAll, { isUnsynced: canBeMadeAgain }));
      const result = await writing.finally(logs.run);
      // Again: what was committed to a file that is gone must not be acknowledged.
      checkOpened(file);
      if (delivers) for (const listener of listeners) listener();
      return result;
    },
    onDelivery(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    checkFile,
    wipe: () =>
      guarded(async () => {
        removeCopies(file);
        await logs.idle();
        await queue.hold(() => emptyLog(writer));
      }),
    async close() {
      await logs.idle();
      await reader.query.destroy();
      await write.destroy();
      // Kysely does not close what it has not used. The last one to close takes the log into the file.
      for (const db of [readerDb, writer]) if (db.isOpen) db.close();
    },
  };
}

async function emptyLog(writer: DatabaseSync): Promise<void> {
  try {
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // Where another process is reading, its next commits do it.
    if (!isBusy(error)) throw error;
  }
}

/** In characters: what takes a tenth of a second to copy from the log into the file. */
const longWrite = 16_000_000;

/** Rows by the thousand go through one prepared statement; building a query for each would cost more than the write. */
function inserter(prepare: Prepare) {
  let written = 0;
  const insertMany: Transaction["insertMany"] = async (table, rows, which) => {
    const [first] = rows;
    if (!first) return 0;
    const columns = Object.keys(first);
    const into = `${which === "new" ? "INSERT OR IGNORE" : "INSERT"} INTO ${table} (${columns.join()})`;
    const insert = prepare(`${into} VALUES (${columns.map(() => "?").join()})`);
    const added = await mapInSlices(rows, (row) => {
      written += row.body.length;
      return Number(insert.run(...(Object.values(row) as SQLInputValue[])).changes);
    });
    return added.reduce((sum, count) => sum + count, 0);
  };
  return { insertMany, isLong: () => written > longWrite };
}

interface Connections {
  readonly writer: DatabaseSync;
  /** Reads have a connection of their own, so that they never wait for writers of other processes. */
  readonly readerDb: DatabaseSync;
}

/** A turn changes a row here and there: with small pages it writes little more than those rows. */
const pageSize = 1024;

/** Both connections or none: a file with another schema must not stay open. */
async function connect(file: string): Promise<Connections> {
  const opened: DatabaseSync[] = [];
  const open = (options?: SqliteOptions): DatabaseSync => {
    const db = openSqlite(file, options);
    opened.push(db);
    return db;
  };
  try {
    // What is deleted is overwritten: a deleted card must not be found in the file.
    const writer = open({ secureDelete: true, owner: storeOwner, pageSize });
    await migrateSqlite(writer, file);
    // Refuses a file whose tables are not the store's, before anything is read or written.
    writer.prepare("SELECT 1 FROM cards, boxes, sessions, session_entries, builds, runs, tasks");
    return { writer, readerDb: open({ pageSize }) };
  } catch (error) {
    for (const db of opened) db.close();
    throw error;
  }
}

function integrityOf(db: DatabaseSync): readonly string[] {
  try {
    const rows = db.prepare("PRAGMA integrity_check(20)").all();
    const findings = rows.map((row) => String(row["integrity_check"]));
    return findings.length === 1 && findings[0] === "ok" ? [] : findings;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return [messageOf(error)];
  }
}

/** For a file that could not be opened as ours. */
function isSoundFile(file: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = openSqlite(file);
    return integrityOf(db).length === 0;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return false;
  } finally {
    db?.close();
  }
}

function kyselyOn(db: DatabaseSync): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(db) });
}

type Prepare = ReturnType<typeof statements>;

function runner(prepare: Prepare): NonNullable<Reader["run"]> {
  return (text, values) => prepare(text).all(...(values as SQLInputValue[]));
}

function listed(values: readonly string[]): RawBuilder<string> {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** All processes that share the file have the clock of this machine. */
async function leaseTime(now: number): Promise<number> {
  return now;
}

/** Keeps the database as it is before its migration. A copy that was left half done is begun again. */
function keepCopy(file: string, version: number): void {
  const copy = copyOf(file, version);
  const part = `${copy}.part`;
  removeFiles(part);
  // Made beforehand, with the rights of the database.
  makeFile(part);
  const reader = openSqlite(file);
  try {
    reader.prepare("VACUUM INTO ?").run(part);
  } finally {
    reader.close();
  }
  moveEntry(part, copy);
  syncFolder(dirname(file));
}

const storeOwner: DatabaseOwner = {
  id: 0x474c4c59,
  tables: ["sessions", "session_entries", "cards", "boxes", "box_segments"],
};

async function migrateSqlite(db: DatabaseSync, file: string): Promise<void> {
  if (versionOf(db) === newestVersion && isClaimed(db, storeOwner)) return;
  await immediateAsync(db, () => {
    refuseNewerVersion(db);
    const version = versionOf(db);
    // Under the write lock: the copy holds all that was ever committed to the old version.
    if (version > 0 && version < newestVersion) keepCopy(file, version);
    for (const step of migrations) if (step.version > version) db.exec(step.sqlite);
    db.exec(`PRAGMA user_version=${newestVersion}`);
    claimDatabase(db, storeOwner);
  });
  // From the log into the file itself, whose head is looked at before anything else.
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

function refuseNewerVersion(db: DatabaseSync): void {
  const version = versionOf(db);
  if (version > newestVersion) throw tooNew(db.location() ?? "The database", version);
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
}
