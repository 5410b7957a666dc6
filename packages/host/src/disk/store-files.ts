import { basename, dirname, join } from "node:path";
import { namesIn, removeFiles } from "./data-files.ts";
import { pathIn } from "./data-paths.ts";
import { syncFolder } from "./private-folder.ts";

/** The embedded database, in the data folder. */
export const databaseFile = "galley.sqlite";

export function storeFile(dataFolder: string): string {
  return pathIn(dataFolder, databaseFile);
}

/** What a deletion took away besides what it was asked to delete. */
export interface Removal {
  /** Copies of the store from before a migration: they may hold what was deleted. */
  readonly removedCopies: readonly string[];
}

/** The copy of a database from before it was brought to a newer version. */
export function copyOf(file: string, version: number): string {
  return `${file}.v${version}`;
}

/** The copies of a data folder's store, one for each version that it was migrated from. */
export function storeCopies(dataFolder: string): readonly string[] {
  return copiesOf(storeFile(dataFolder));
}

/**
 * Removes the copies of a data folder's store. Every deletion that promises to remove bytes calls this before it deletes
 * anything, so that a deletion which was acknowledged is never undone by a copy [M7].
 */
export function removeStoreCopies(dataFolder: string): Removal {
  return { removedCopies: removeCopies(storeFile(dataFolder)) };
}

/** The same, for the file of a database. */
export function removeCopies(file: string): readonly string[] {
  const copies = copiesOf(file);
  removeFiles(...copies);
  if (copies.length > 0) syncFolder(dirname(file));
  return copies;
}

function copiesOf(file: string): readonly string[] {
  const name = basename(file);
  const found = namesIn(dirname(file)).filter(
    (other) => other.startsWith(`${name}.v`) && /^\d+(?:\.part)?$/.test(other.slice(name.length + 2)),
  );
  return found.toSorted().map((other) => join(dirname(file), other));
}
