import { readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { GalleyError } from "@galley/engine";
import { statFile, withFile } from "./data-files.ts";
import { sqlite } from "./runtime/sqlite-module.ts";

/** How a database of ours is told from one of another program that lies in its place. */
export interface DatabaseOwner {
  /** The `application_id` in the head of the file. */
  readonly id: number;
  /** Tables by which a file from before it had the id is recognised. */
  readonly tables: readonly string[];
}

/**
 * Refuses a database of another program, before anything is opened that could change it: not its journal mode, not its rights,
 * no file beside it. What is missing, empty or not a database at all is not refused here; SQLite says what is wrong with it.
 */
export function refuseForeign(file: string, owner: DatabaseOwner): void {
  const size = statFile(file)?.size ?? 0;
  const found = size === 0 ? undefined : headOf(file);
  if (!found || found.id === owner.id || hasTables(owner, found.schema)) return;
  // What was written last may still be in the log alone.
  const log = found.schema === "" ? committedLog(`${file}-wal`) : "";
  if (hasTables(owner, log)) return;
  const isUnused = found.id === 0 && found.version === 0 && found.schema === "" && log === "";
  if (isUnused) return;
  throw new GalleyError("ForeignDatabase", `${file} is a database of another program; it was left as it is.`, {
    path: file,
    hint: "Move it to where it belongs, or choose another data folder.",
  });
}

/** Whether a database was refused because it is another program's. */
export function isForeignFile(error: unknown): boolean {
  return error instanceof GalleyError && error.code === "ForeignDatabase";
}

/** Writes into a database that it is ours. Within the transaction that makes its tables, so that neither is there without the other. */
export function claimDatabase(db: DatabaseSync, { id }: DatabaseOwner): void {
  db.exec(`PRAGMA application_id=${id}`);
}

export function isClaimed(db: DatabaseSync, { id }: DatabaseOwner): boolean {
  return idOf(db) === id;
}

interface DatabaseHead {
  readonly id: number;
  readonly version: number;
  /** The statements that made its tables; `unreadable` where they cannot be read. */
  readonly schema: string;
}

/**
 * Read by SQLite, as a file that nobody writes to: that takes no lock and leaves nothing beside the file. Not with `open`: to
 * close the file would take away the locks that other connections of this process hold.
 */
function headOf(file: string): DatabaseHead | undefined {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  let db: DatabaseSync | undefined;
  try {
    db = new (sqlite().DatabaseSync)(url, { readOnly: true });
    const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    return { id: idOf(db), version, schema: schemaOf(db) };
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

function idOf(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA application_id").get()?.["application_id"]);
}

function schemaOf(db: DatabaseSync): string {
  try {
    const rows = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all();
    return rows.map((row) => String(row["sql"])).join("\n");
  } catch {
    return "unreadable";
  }
}

function hasTables({ tables }: DatabaseOwner, schema: string): boolean {
  return tables.every((name) => new RegExp(`CREATE (?:VIRTUAL )?TABLE "?${name}\\b`).test(schema));
}

/** As far as the beginning of a log is read: a new database makes its tables first. */
const logLimit = 4 * 1024 * 1024;
const logHead = 32;
const frameHead = 24;

/** The beginning of a database's log as text, if anything in it was committed. The log itself is never locked. */
function committedLog(file: string): string {
  if ((statFile(file)?.size ?? 0) <= logHead) return "";
  const bytes = Buffer.alloc(logLimit);
  const length = withFile(file, (handle) => readSync(handle, bytes, 0, logLimit, 0)) ?? 0;
  const frame = frameHead + bytes.readUInt32BE(8);
  for (let at = logHead; at + frame <= length; at += frame) {
    const isCurrent = bytes.readBigUInt64BE(at + 8) === bytes.readBigUInt64BE(16);
    // Only the last frame of a transaction says how many pages the database then has.
    if (isCurrent && bytes.readUInt32BE(at + 4) > 0) return bytes.toString("latin1", 0, length);
  }
  return "";
}
