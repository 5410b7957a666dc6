import { randomInt } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { GalleyError } from "@galley/engine";
import { removeFiles, statFile } from "../disk/data-files.ts";
import { type DatabaseOwner, claimDatabase, isClaimed } from "../disk/database-owner.ts";
import { immediate, isBusy, isUnusable, openSqlite, sqliteError } from "../disk/open-sqlite.ts";
import { errorCode, storageError } from "../disk/storage-error.ts";
import { SearchTerms } from "./search-terms.ts";
import { tokenizerVersion } from "./search-tokens.ts";

/** Why an index file was emptied. */
export type RebuildReason = "damaged" | "older" | "newer";

/** Raise it when the tables or the meaning of their ids change. */
const layoutVersion = 2;
const fileVersion = layoutVersion * 1000 + tokenizerVersion;

// The text is kept once, packed and apart: snippets need it, and the full-text table removes a document only when given its terms.
const tables = `
  CREATE TABLE archives (
    id INTEGER PRIMARY KEY,
    context_id TEXT NOT NULL UNIQUE,
    stamp TEXT NOT NULL,
    archived_at TEXT NOT NULL
  );
  CREATE TABLE texts (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE terms USING fts5(title, summary, body, often, content='', detail=column, tokenize='ascii');
  INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);
  INSERT INTO terms (terms, rank) VALUES ('hashsize', ${8 * 1024 * 1024});
  PRAGMA user_version = ${fileVersion};
`;

const indexOwner: DatabaseOwner = { id: 0x474c4c53, tables: ["archives", "texts", "notes", "terms"] };

/** A connection to the index file, good as long as the path still names the file that was opened. */
export interface SearchFile {
  readonly db: DatabaseSync;
  readonly terms: SearchTerms;
  readonly inode: number;
}

/** Opens the index. One that is damaged or of another version is emptied, and says so until it has been filled again. */
export function openSearchFile(file: string): SearchFile {
  try {
    return prepare(file);
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    return replaceDamagedFile(file);
  }
}

/** What SQLite or the system refused, as one of our errors; every other error as it is. */
export function searchError(cause: unknown, file: string): unknown {
  const known = sqliteError(cause, file);
  return errorCode(known) === undefined ? known : storageError(known, file, "read");
}

/** Whether an error says that the index has to be made again. */
export function isIndexDamage(error: unknown): boolean {
  return isUnusable(error) || (error instanceof GalleyError && error.code === "IndexDamaged");
}

/** Whether another process, or a person, has put another file in the place of the one that is open. */
export function isReplaced(file: string, inode: number): boolean {
  return inodeOf(file) !== inode;
}

/** Puts an empty index in the place of a damaged one. */
export function replaceDamagedFile(file: string): SearchFile {
  // The file itself goes last: a new file must never meet the old one's log.
  removeFiles(`${file}-wal`, `${file}-shm`, file);
  const opened = prepare(file);
  noteRebuild(opened.db, "damaged");
  return opened;
}

/** Why the index was emptied, until a reconciliation has filled it again. */
export function rebuildReason(db: DatabaseSync): RebuildReason | undefined {
  return db.prepare("SELECT value FROM notes WHERE name = 'rebuild'").get()?.["value"] as RebuildReason | undefined;
}

function prepare(file: string): SearchFile {
  const db = openSqlite(file, { synchronous: "normal", secureDelete: true, owner: indexOwner });
  try {
    if (versionOf(db) !== fileVersion) immediate(db, () => createTables(db));
    if (!isClaimed(db, indexOwner)) immediate(db, () => claimDatabase(db, indexOwner));
    db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, terms, row)");
    const salt = Number(db.prepare("SELECT value FROM notes WHERE name = 'salt'").get()?.["value"]);
    // With another salt, nothing that was put in would ever be found.
    if (!Number.isSafeInteger(salt))
      throw new GalleyError("IndexDamaged", `The search index ${file} has lost its salt.`, { path: file });
    return { db, terms: new SearchTerms(salt), inode: inodeOf(file) };
  } catch (error) {
    db.close();
    throw error;
  }
}

// Within the write lock, and only then sure that no other process was faster.
function createTables(db: DatabaseSync): void {
  const version = versionOf(db);
  if (version === fileVersion) return;
  const virtual = db.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'").all();
  for (const { name } of virtual) db.exec(`DROP TABLE ${quoted(name)}`);
  const plain = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  for (const { name } of plain) db.exec(`DROP TABLE ${quoted(name)}`);
  db.exec(tables);
  claimDatabase(db, indexOwner);
  db.prepare("INSERT INTO notes VALUES ('salt', ?)").run(String(randomInt(2 ** 32)));
  if (version !== 0) noteRebuild(db, version < fileVersion ? "older" : "newer");
}

function noteRebuild(db: DatabaseSync, reason: RebuildReason): void {
  db.prepare("INSERT OR REPLACE INTO notes VALUES ('rebuild', ?)").run(reason);
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function quoted(name: unknown): string {
  return `"${String(name).replaceAll('"', '""')}"`;
}

/** How long to wait for other processes that read the log of the index, in ms. */
const patience = 10_000;

/** Notes in a removal's own transaction that its log is to be emptied, so that a crash in between is made up for by the next change. */
export function noteRemains(db: DatabaseSync): void {
  db.exec("INSERT OR IGNORE INTO notes VALUES ('remains', 'log')");
}

/** Wipes what removals left in the log of the file. Costs nothing when there is nothing to do. */
export function purgeRemains(db: DatabaseSync): void {
  if (!db.prepare("SELECT 1 FROM notes WHERE name = 'remains'").get()) return;
  const until = performance.now() + patience;
  while (!tryEmptyLog(db)) {
    if (performance.now() < until) continue;
    throw new GalleyError("StoreBusy", "What left the search index is still in its log, which another process holds.", {
      hint: "The next change tries again; look for a process that hangs.",
      retryable: true,
    });
  }
  immediate(db, () => db.exec("DELETE FROM notes WHERE name = 'remains'"));
}

function tryEmptyLog(db: DatabaseSync): boolean {
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function inodeOf(file: string): number {
  return statFile(file)?.ino ?? 0;
}
