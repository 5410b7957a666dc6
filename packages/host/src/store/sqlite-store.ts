import { pathIn } from "../disk/data-paths.ts";
import { makeFolder } from "../disk/private-folder.ts";
import type { Store } from "./ports/ports.ts";
import { sqliteDatabase } from "./database/sqlite-database.ts";
import { sqliteQueue } from "./queue/sqlite-queue.ts";
import { storeFile } from "../disk/store-files.ts";
import { createStores } from "./create-stores.ts";

/** The store of one machine: a file in the data folder, which any number of processes may use. */
export async function sqliteStore(data: string): Promise<Store> {
  makeFolder(pathIn(data));
  const database = await sqliteDatabase(storeFile(data));
  const stores = createStores(database);
  return { ...stores, kind: "sqlite", queue: sqliteQueue(database, stores.tasks), close: () => database.close() };
}
