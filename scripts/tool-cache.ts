import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Where tests and benches keep programs that they unpack or install. Below `node_modules`, because those who can write
 * there could run code as us anyway; in the system's folder for temporary files every user of the machine could plant something.
 */
export function toolCache(name: string): string {
  return fileURLToPath(new URL(`../node_modules/.cache/galley-${name}`, import.meta.url));
}

/** A folder of which no process has asked for this long, in ms, is deleted. */
const keptFor = 24 * 60 * 60 * 1000;

/** The folder that `make` fills, made once for each key. */
export async function madeOnce(name: string, key: string, make: (draft: string) => Promise<void>): Promise<string> {
  const cache = toolCache(name);
  const folder = join(cache, key);
  if (!existsSync(folder)) {
    // Under a name of its own until it is whole: another process may be making the same.
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    await make(draft);
    try {
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  utimesSync(folder, new Date(), new Date());
  for (const other of readdirSync(cache).map((each) => join(cache, each))) {
    const stats = statSync(other, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > keptFor) rmSync(other, { recursive: true, force: true });
  }
  return folder;
}
