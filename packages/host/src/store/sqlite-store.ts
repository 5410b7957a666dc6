import { join } from "node:path";
import { makeFolder } from "../disk/private-folder.ts";
import type { Store } from "./ports/ports.ts";
import { sqliteDatabase } from "./database/sqlite-database.ts";
import { sqliteQueue } from "./queue/sqlite-queue.ts";
import { databaseFile } from "../disk/store-files.ts";
import { createStores } from "./create-stores.ts";

/** The store of one machine: a file in the data folder, which any number of processes may use. */
export async function sqliteStore(data: string): Promise<Store> {
  makeFolder(data);
  const database = await sqliteDatabase(join(data, databaseFile));
  const stores = createStores(database);
  return { ...stores, kind: "sqlite", queue: sqliteQueue(database, stores.tasks), close: () => database.close() };
}
