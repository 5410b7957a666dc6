import type { DatabaseSync } from "node:sqlite";
import { GalleyError } from "@galley/engine";
import { immediate } from "../disk/open-sqlite.ts";
import { type RebuildReason, type SearchFile, purgeRemains, rebuildReason } from "./search-file.ts";
import { type SearchRow, putRow, removeRow } from "./search-rows.ts";
import type { SearchTerms } from "./search-terms.ts";

export interface Reconciled {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Why the index had to be built again from the files, when it had to be. */
  readonly rebuilt?: RebuildReason;
}

/** Told after each batch how far it is. With `false` the rest is left to the next call. */
export type Progress = (done: number, total: number) => unknown;

export interface FileToSearch {
  readonly contextId: string;
  readonly stamp: string;
}

/** Every batch is a piece of the full-text table that has to be merged with others later, and writers of other processes wait for it. */
const maxBatchSize = { files: 1000, characters: 1_000_000 };

/** Makes the index equal to the files; reads only those whose stamp is new, and those that seem to be gone. */
export function reconcileIndex(
  { db, terms }: SearchFile,
  files: Iterable<FileToSearch>,
  read: (file: FileToSearch) => SearchRow | undefined,
  onProgress?: Progress,
): Reconciled {
  const work = compare(db, files);
  const counts = { added: 0, updated: 0, removed: 0 };
  let done = 0;
  while (done < work.length) {
    const batch = readBatch(work, done, read);
    immediate(db, () => {
      for (const file of batch) {
        const change = applyFile(db, file, terms);
        if (change) counts[change] += 1;
      }
    });
    done += batch.length;
    if (onProgress?.(done, work.length) === false) break;
  }
  purgeRemains(db);
  const rebuilt = rebuildReason(db);
  if (rebuilt === undefined || done < work.length) return counts;
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

/** The stamp of everything that the index holds, by id. */
export function stampsOf(db: DatabaseSync): ReadonlyMap<string, string> {
  const rows = db.prepare("SELECT context_id, stamp FROM archives");
  rows.setReturnArrays(true);
  const known = new Map(rows.all() as unknown as [string, string][]);
  if ([...known.keys()].some((contextId) => typeof contextId !== "string"))
    throw new GalleyError("IndexDamaged", "The search index holds an archive without an id.");
  return known;
}

function compare(db: DatabaseSync, files: Iterable<FileToSearch>): ListedFile[] {
  const known = stampsOf(db);
  const missing = new Map(known);
  const changed: ListedFile[] = [];
  for (const { contextId, stamp } of files) {
    missing.delete(contextId);
    if (known.get(contextId) !== stamp) changed.push({ contextId, stamp, wasListed: true });
  }
  return [...changed, ...[...missing].map(([contextId, stamp]) => ({ contextId, stamp, wasListed: false }))];
}

/** Before the lock is taken, and no more than memory bears. */
function readBatch(
  work: readonly ListedFile[],
  start: number,
  read: (file: FileToSearch) => SearchRow | undefined,
): ReadFile[] {
  const batch: ReadFile[] = [];
  let characters = 0;
  for (const file of work.slice(start, start + maxBatchSize.files)) {
    const row = read(file);
    batch.push({ ...file, row });
    for (const message of row?.texts.messages ?? []) characters += message.length;
    if (characters > maxBatchSize.characters) break;
  }
  return batch;
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
