import type { DatabaseSync } from "node:sqlite";
import { immediate } from "../store/open-sqlite.ts";
import { scrubIndex } from "./scrub-index.ts";
import { type RebuildReason, type SearchFile, rebuildReason } from "./search-file.ts";
import type { SearchTerms } from "./search-terms.ts";
import { type SearchRow, putRow, removeRow } from "./search-rows.ts";

export interface Reconciled {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Why the index had to be built again from the files, when it had to be. */
  readonly rebuilt?: RebuildReason;
}

export interface FileToSearch {
  readonly contextId: string;
  readonly stamp: string;
}

/** Writers of other processes come in between two batches. */
const batchSize = 100;

/** Makes the index equal to the files; reads only those whose stamp is new, and those that seem to be gone. */
export function reconcileIndex(
  { db, terms }: SearchFile,
  files: Iterable<FileToSearch>,
  read: (file: FileToSearch) => SearchRow | undefined,
  onProgress?: (done: number, total: number) => void,
): Reconciled {
  const work = compare(db, files);
  const counts = { added: 0, updated: 0, removed: 0 };
  for (let start = 0; start < work.length; start += batchSize) {
    const batch = work.slice(start, start + batchSize).map((file) => ({ ...file, row: read(file) }));
    immediate(db, () => {
      for (const file of batch) {
        const done = applyFile(db, file, terms);
        if (done) counts[done] += 1;
      }
    });
    onProgress?.(Math.min(start + batchSize, work.length), work.length);
  }
  scrubIndex(db);
  const rebuilt = rebuildReason(db);
  if (rebuilt === undefined) return counts;
  immediate(db, () => db.exec("DELETE FROM notes WHERE name = 'rebuild'"));
  return { ...counts, rebuilt };
}

interface ListedFile extends FileToSearch {
  readonly wasListed: boolean;
}

function compare(db: DatabaseSync, files: Iterable<FileToSearch>): ListedFile[] {
  const rows = db.prepare("SELECT context_id, stamp FROM archives").all();
  const known = new Map(rows.map((row) => [String(row["context_id"]), String(row["stamp"])]));
  const missing = new Map(known);
  const changed: ListedFile[] = [];
  for (const { contextId, stamp } of files) {
    missing.delete(contextId);
    if (known.get(contextId) !== stamp) changed.push({ contextId, stamp, wasListed: true });
  }
  return [...changed, ...[...missing].map(([contextId, stamp]) => ({ contextId, stamp, wasListed: false }))];
}

function applyFile(
  db: DatabaseSync,
  { contextId, row, wasListed }: ListedFile & { readonly row: SearchRow | undefined },
  terms: SearchTerms,
): "added" | "updated" | "removed" | undefined {
  const isKnown = db.prepare("SELECT 1 FROM archives WHERE context_id = ?").get(contextId) !== undefined;
  if (row) {
    // Not listed and yet there: archived by another process since the files were listed.
    if (!wasListed) return undefined;
    putRow(db, row, terms);
    return isKnown ? "updated" : "added";
  }
  if (!isKnown) return undefined;
  removeRow(db, contextId, terms);
  return "removed";
}
