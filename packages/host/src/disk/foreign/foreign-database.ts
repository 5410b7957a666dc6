import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { statForeign } from "./foreign-files.ts";
import { sqlite } from "../runtime/sqlite-module.ts";

/** A database of another program, to be read. */
export interface ForeignDatabase {
  all(sql: string, ...values: readonly (string | number)[]): readonly ForeignRow[];
  close(): void;
}

export type ForeignRow = Readonly<Record<string, unknown>>;

/**
 * Opens the SQLite database of another program, which may be writing to it: not a byte of it or of the files beside it is
 * changed, and none is made. Throws where it cannot be read.
 * @param tables those that are asked for: each must be a plain table, because a view or a computed column runs code of
 *   the program that made the file, for as long as it likes
 */
export function openForeignDatabase(file: string, tables: readonly string[]): ForeignDatabase {
  const db = openReader(file);
  try {
    for (const table of tables) checkPlain(db, table);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkPlain(db: ForeignDatabase, table: string): void {
  const [found] = db.all("SELECT type, rootpage FROM sqlite_schema WHERE name = ?", table);
  // A virtual table has no page of its own.
  const isTable = found?.["type"] === "table" && Number(found["rootpage"]) > 0;
  const columns = isTable ? db.all("SELECT hidden FROM pragma_table_xinfo(?)", table) : [];
  if (isTable && columns.every(({ hidden }) => hidden === 0)) return;
  throw new Error(`${found ? "it is not a plain table" : "there is no table"}: ${table}`);
}

function openReader(file: string): ForeignDatabase {
  const hasLog = (statForeign(`${file}-wal`)?.size ?? 0) > 0;
  if (!hasLog) return readerOf(open(file, "immutable=1"));
  // SQLite would make the index of a log that has none, so that is done with a copy.
  if (!statForeign(`${file}-shm`)) return openCopy(file);
  return readerOf(open(file, "readonly_shm=1"));
}

function open(file: string, option: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = option;
  return new (sqlite().DatabaseSync)(url, { readOnly: true, timeout: 1000 });
}

function openCopy(file: string): ForeignDatabase {
  const folder = mkdtempSync(join(tmpdir(), "galley-copy-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(file));
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
    return readerOf(new (sqlite().DatabaseSync)(copy), remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function readerOf(db: DatabaseSync, onClose?: () => void): ForeignDatabase {
  return {
    all: (sql, ...values) => db.prepare(sql).all(...values),
    close() {
      db.close();
      onClose?.();
    },
  };
}
