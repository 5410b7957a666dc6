import type { DatabaseSync } from "node:sqlite";
import { GalleyError } from "@galley/engine";
import { immediate, isBusy } from "../disk/open-sqlite.ts";

const patience = 10_000;

/** Notes in a removal's own transaction that its log is to be emptied, so that a crash in between is made up for by the next change. */
export function noteRemains(db: DatabaseSync): void {
  db.exec("INSERT OR IGNORE INTO notes VALUES ('remains', 'log')");
}

/** Wipes what removals left in the log of the file. Costs nothing when there is nothing to do. */
export function scrubIndex(db: DatabaseSync): void {
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
