import { pathIn } from "../disk/data-paths.ts";
import { rememberFolder } from "../disk/opened-folders.ts";
import { makeFolder } from "../disk/private-folder.ts";
import type { Store } from "./ports/ports.ts";
import { withLateWrites } from "./database/late-writes.ts";
import { sqliteDatabase } from "./database/sqlite-database.ts";
import { sqliteQueue } from "./queue/sqlite-queue.ts";
import { storeFile } from "../disk/store-files.ts";
import { createStores } from "./create-stores.ts";

/** The store of one machine: a file in the data folder, which any number of processes may use. */
export async function sqliteStore(data: string): Promise<Store> {
  makeFolder(pathIn(data));
  const file = storeFile(data);
  const folder = rememberFolder(pathIn(data));
  try {
    const database = await sqliteDatabase(file);
    folder.add(file);
    const late = withLateWrites(database);
    const stores = createStores(late);
    const close = async (): Promise<void> => {
      folder.forget();
      await late.close();
    };
    return { ...stores, kind: "sqlite", queue: sqliteQueue(database, stores.tasks), close };
  } catch (error) {
    folder.forget();
    throw error;
  }
}
