import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { statForeign } from "./foreign-files.ts";
import { sqlite } from "./sqlite-module.ts";

/** A database of another program, to be read. */
export interface ForeignDatabase {
  all(sql: string, ...values: readonly (string | number)[]): readonly ForeignRow[];
  close(): void;
}

export type ForeignRow = Readonly<Record<string, unknown>>;

/**
 * Opens the SQLite database of another program, which may be writing to it: not a byte of it or of the files beside it is
 * changed, and none is made. Throws where it cannot be read.
 */
export function openForeignDatabase(file: string): ForeignDatabase {
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
