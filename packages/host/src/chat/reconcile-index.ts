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

/** Every batch is a piece of the full-text table that has to be merged with others later: the fewer the better. */
const batchSize = 1000;
/** But writers of other processes wait no longer than this, in ms. */
const longestBatch = 2000;

/** Makes the index equal to the files; reads only those whose stamp is new, and those that seem to be gone. */
export function reconcileIndex(
  { db, terms }: SearchFile,
  files: Iterable<FileToSearch>,
  read: (file: FileToSearch) => SearchRow | undefined,
  onProgress?: (done: number, total: number) => void,
): Reconciled {
  const work = compare(db, files);
  const counts = { added: 0, updated: 0, removed: 0 };
  let done = 0;
  while (done < work.length) {
    const batch = work.slice(done, done + batchSize).map((file) => ({ ...file, row: read(file) }));
    done += immediate(db, () => applyBatch(db, batch, terms, counts));
    onProgress?.(done, work.length);
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

interface ReadFile extends ListedFile {
  readonly row: SearchRow | undefined;
}

type Change = "added" | "updated" | "removed";

function compare(db: DatabaseSync, files: Iterable<FileToSearch>): ListedFile[] {
  const rows = db.prepare("SELECT context_id, stamp FROM archives");
  rows.setReturnArrays(true);
  const known = new Map(rows.all() as unknown as [string, string][]);
  const missing = new Map(known);
  const changed: ListedFile[] = [];
  for (const { contextId, stamp } of files) {
    missing.delete(contextId);
    if (known.get(contextId) !== stamp) changed.push({ contextId, stamp, wasListed: true });
  }
  return [...changed, ...[...missing].map(([contextId, stamp]) => ({ contextId, stamp, wasListed: false }))];
}

function applyBatch(
  db: DatabaseSync,
  batch: readonly ReadFile[],
  terms: SearchTerms,
  counts: Record<Change, number>,
): number {
  const until = performance.now() + longestBatch;
  let done = 0;
  for (const file of batch) {
    const change = applyFile(db, file, terms);
    if (change) counts[change] += 1;
    done += 1;
    if (performance.now() > until) break;
  }
  return done;
}

function applyFile(db: DatabaseSync, { contextId, row, wasListed }: ReadFile, terms: SearchTerms): Change | undefined {
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
