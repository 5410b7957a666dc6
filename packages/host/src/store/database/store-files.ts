import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The embedded database, in the data folder. */
export const databaseFile = "galley.sqlite";

/** The copy of a database from before it was brought to a newer version. */
export function copyOf(file: string, version: number): string {
  return `${file}.v${version}`;
}

/** The copies beside a database, one for each version that it was migrated from. */
export function copiesOf(file: string): readonly string[] {
  const name = basename(file);
  try {
    const found = readdirSync(dirname(file)).filter(
      (other) => other.startsWith(`${name}.v`) && /^\d+(?:\.part)?$/.test(other.slice(name.length + 2)),
    );
    return found.toSorted().map((other) => join(dirname(file), other));
  } catch {
    return [];
  }
}

/** What was deleted from a database must not be found in a copy of it either. Gives the copies that were removed. */
export function removeCopies(file: string): readonly string[] {
  const copies = copiesOf(file);
  for (const copy of copies) rmSync(copy, { force: true });
  return copies;
}
