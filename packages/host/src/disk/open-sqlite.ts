import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import { makeFile, statFile } from "./data-files.ts";
import { isUnsafe } from "./data-paths.ts";
import { type DatabaseOwner, isForeignFile, refuseForeign } from "./database-owner.ts";
import { sqlite } from "./runtime/sqlite-module.ts";
import { messageOf, storageError } from "./storage-error.ts";

export interface SqliteOptions {
  /** `full` (default): a commit survives a loss of power. `normal`: it survives a crash of the process; for what can be made again. */
  readonly synchronous?: "full" | "normal";
  /** Whose database it must be: that of another program is refused. */
  readonly owner?: DatabaseOwner;
  /** Overwrites with zeros what is deleted. */
  readonly secureDelete?: boolean;
  /** The size of the pages of a new file, in bytes; 4096 unless said otherwise. A commit writes whole pages. */
  readonly pageSize?: number;
  /** How long opening waits in ms for other processes that open the same file. Default 10 s. */
  readonly patience?: number;
}

export interface ImmediateOptions {
  /** How long it waits in ms for other writers. Default 10 s. */
  readonly patience?: number;
}

/** How long one call into SQLite may block the event loop for a lock. */
const busyTimeout = 100;
const defaultPatience = 10_000;
/** SQLite's own: a thousand pages of 4096 bytes. */
const usualLog = 4_096_000;

/** Opens a database that several processes use at once: WAL, foreign keys on, a short busy timeout. */
export function openSqlite(file: string, options: SqliteOptions = {}): DatabaseSync {
  const { synchronous = "full", secureDelete = false, patience = defaultPatience, owner, pageSize } = options;
  const db = openOrSayWhy(file, owner);
  try {
    // The log is taken into the file after as many bytes as ever.
    if (pageSize !== undefined)
      db.exec(`PRAGMA page_size=${pageSize}; PRAGMA wal_autocheckpoint=${usualLog / pageSize}`);
    const mode = switchToWal(db, patience);
    if (mode !== "wal" && mode !== "memory") {
      throw new GalleyError(
        "FileUnreadable",
        `${file} cannot be shared by processes (its journal mode stays ${mode}).`,
        {
          hint: "Keep the data folder on a local disk; network disks lack the shared memory that this needs.",
        },
      );
    }
    db.exec(`PRAGMA synchronous=${synchronous}; PRAGMA secure_delete=${secureDelete ? "ON" : "OFF"}`);
    return db;
  } catch (error) {
    db.close();
    throw sqliteError(error, file);
  }
}

/**
 * Runs `work` in a transaction that holds the write lock from its beginning, or rolls it back when it throws.
 * Blocks the thread while other writers hold the lock; in a server use `immediateAsync`.
 */
export function immediate<Result>(db: DatabaseSync, work: () => Result, options: ImmediateOptions = {}): Result {
  const until = performance.now() + (options.patience ?? defaultPatience);
  // Most of the waiting is SQLite's own, within its busy timeout.
  while (!tryBegin(db, until)) pause(1);
  return finish(db, work);
}

/** The same, with the event loop free between tries. `work` stays synchronous: nothing else may slip into the transaction. */
export async function immediateAsync<Result>(
  db: DatabaseSync,
  work: () => Result,
  options: ImmediateOptions = {},
): Promise<Result> {
  await beginImmediate(db, options);
  return finish(db, work);
}

/** Begins a transaction that holds the write lock; the caller commits it and lets nothing else slip in until then. */
export async function beginImmediate(db: DatabaseSync, options: ImmediateOptions = {}): Promise<void> {
  const until = performance.now() + (options.patience ?? defaultPatience);
  if (tryBegin(db, until)) return;
  // From here on the waiting is ours: within its busy timeout, SQLite would hold up everything else that this process does.
  db.exec("PRAGMA busy_timeout=0");
  try {
    while (!tryBegin(db, until)) await sleep(1 + Math.random() * 20);
  } finally {
    db.exec(`PRAGMA busy_timeout=${busyTimeout}`);
  }
}

/** Whether SQLite gave up because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5 || primaryCode(error) === 6;
}

/** Whether SQLite refused a row because another one has its key. */
export function isTaken(error: unknown): boolean {
  return primaryCode(error) === 19;
}

/** Whether SQLite found that the file is damaged or no database at all. */
export function isDamaged(error: unknown): boolean {
  return primaryCode(error) === 11 || primaryCode(error) === 26;
}

/** Whether SQLite could make nothing of a statement: it names what the schema does not have. */
export function isForeign(error: unknown): boolean {
  return primaryCode(error) === 1;
}

/** What the disk has to do with some of SQLite's codes, in the system's words. */
const diskCodes: Readonly<Record<number, string>> = { 3: "EACCES", 8: "EROFS", 10: "EIO", 13: "ENOSPC", 14: "EACCES" };

/** An error of SQLite's that the disk is to blame for, as one of ours; every other error as it is. */
export function sqliteError(error: unknown, file: string): unknown {
  const code = diskCodes[primaryCode(error) ?? -1];
  return code === undefined ? error : storageError(error, file, "written", code);
}

/**
 * Whether SQLite found something in the file that our own statements never leave there: another schema, a key twice, a
 * full-text table that is not one. For files that can be made again this counts as damage.
 */
export function isUnusable(error: unknown): boolean {
  return isDamaged(error) || [1, 19, 20, 24].includes(primaryCode(error) ?? 0);
}

/**
 * SQLite would let everybody read a new file; those beside it take its mode. One that exists is not even opened: closing
 * it would take the locks away that other connections of this process hold.
 */
function makePrivate(file: string): void {
  try {
    makeFile(file);
  } catch (cause) {
    // It is there, or SQLite says why it cannot be.
    if (isUnsafe(cause)) throw cause;
  }
}

/** SQLite follows links, in the place of its file and of those beside it, and waits for pipes. */
function refuseLinks(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) statFile(file + suffix);
}

function openOrSayWhy(file: string, owner: DatabaseOwner | undefined): DatabaseSync {
  const { DatabaseSync } = sqlite();
  try {
    if (file !== ":memory:") {
      refuseLinks(file);
      if (owner) refuseForeign(file, owner);
      makePrivate(file);
    }
    return new DatabaseSync(file, { timeout: busyTimeout, enableForeignKeyConstraints: true });
  } catch (cause) {
    if (isUnsafe(cause) || isForeignFile(cause)) throw cause;
    throw new GalleyError("FileUnreadable", `The database ${file} cannot be opened: ${messageOf(cause)}.`, {
      hint: "Check that its folder exists and may be written to.",
      cause,
    });
  }
}

// The busy timeout does not cover this pragma: the switch needs the whole file for itself for a moment.
function switchToWal(db: DatabaseSync, patience: number): string {
  const until = performance.now() + patience;
  for (;;) {
    try {
      return String(db.prepare("PRAGMA journal_mode=WAL").get()?.["journal_mode"]);
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= until) throw busyTooLong(db, error);
      pause(5 + Math.random() * 20);
    }
  }
}

function tryBegin(db: DatabaseSync, until: number): boolean {
  try {
    db.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (!isBusy(error)) throw error;
    if (performance.now() >= until) throw busyTooLong(db, error);
    return false;
  }
}

function finish<Result>(db: DatabaseSync, work: () => Result): Result {
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, such as a full disk.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** The error for a lock that another process holds for longer than its callers wait. */
export function busyTooLong(db: DatabaseSync, cause?: unknown): GalleyError {
  const file = db.location() ?? "The database";
  return new GalleyError("StoreBusy", `${file} is locked by another process, and did not become free in time.`, {
    hint: "Try again; if it stays so, look for a process that hangs.",
    retryable: true,
    cause,
  });
}

/** The primary result code; the extended ones hold it in their low byte. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

const nothing = new Int32Array(new SharedArrayBuffer(4));

function pause(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms);
}
