import { GalleyError, type Problem } from "@galley/engine";
import type { Database } from "./database/database.ts";
import type { StoreOptions } from "./open-store.ts";
import { exists } from "../disk/data-files.ts";
import { storeFile } from "../disk/store-files.ts";

/**
 * Checks whether a store can be opened and whether what it holds fits together. Changes nothing, except that a store of an
 * older version is brought to the present one. A data folder without a store has no problems.
 */
export async function checkStore({ data = ".ship", postgres }: StoreOptions = {}): Promise<readonly Problem[]> {
  const path = postgres === undefined ? storeFile(data) : "postgres";
  if (postgres === undefined && !exists(path)) return [];
  let database: Database | undefined;
  try {
    const { checkDatabase } = await import("./check-database.ts");
    if (postgres === undefined) {
      database = await (await import("./database/sqlite-database.ts")).sqliteDatabase(path);
    } else {
      const { postgresDatabase } = await import("./database/postgres-database.ts");
      database = await postgresDatabase({ url: postgres, connections: 1, patience: 0 }, () => Promise.resolve());
    }
    const damage = database.checkFile?.() ?? [];
    if (damage.length === 0) return await checkDatabase(database, Date.now());
    return damage.map((message) => ({ severity: "error", code: "StoreDamaged", message, path }));
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return [{ severity: "error", code: error.code, message: error.message, path, hint: error.hint }];
  } finally {
    await database?.close();
  }
}
