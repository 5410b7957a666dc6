import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";
import type { Store } from "./ports.ts";
import { sqliteDatabase } from "./sqlite-database.ts";
import { sqliteQueue } from "./sqlite-queue.ts";
import { databaseFile } from "./store-files.ts";
import { storesOn } from "./stores-on.ts";

/** The store of one machine: a file in the data folder, which any number of processes may use. */
export async function sqliteStore(data: string): Promise<Store> {
  await mkdir(data, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new GalleyError("StorageFailed", `${data} cannot be used as a data folder (${cause.code ?? "unknown"}).`, {
      path: data,
      hint: "Name a folder that may be made or written to; a file of that name may stand in its place.",
      cause,
    });
  });
  const database = await sqliteDatabase(join(data, databaseFile));
  const stores = storesOn(database);
  return { ...stores, kind: "sqlite", queue: sqliteQueue(database, stores.turns), close: () => database.close() };
}
