import { GalleyError, type Problem } from "@galley/engine";
import type { StoreOptions } from "./open-store.ts";
import { exists } from "../disk/data-files.ts";
import { storeFile } from "../disk/store-files.ts";

/**
 * Looks whether a store can be opened and whether what it holds fits together. Changes nothing, except that a store of an
 * older version is brought to the present one. A data folder without a store has no problems.
 */
export async function checkStore({ data = ".ship", postgres }: StoreOptions = {}): Promise<readonly Problem[]> {
  const path = postgres === undefined ? storeFile(data) : "postgres";
  if (postgres === undefined && !exists(path)) return [];
  try {
    return postgres === undefined ? await checkSqlite(path) : await checkPostgres(postgres);
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return [{ severity: "error", code: error.code, message: error.message, path, hint: error.hint }];
  }
}

async function checkSqlite(file: string): Promise<readonly Problem[]> {
  const [{ sqliteDatabase }, { checkDatabase }] = await Promise.all([
    import("./database/sqlite-database.ts"),
    import("./check-database.ts"),
  ]);
  const database = await sqliteDatabase(file);
  try {
    const damage = database.checkFile();
    if (damage.length === 0) return await checkDatabase(database, Date.now());
    return damage.map((message) => ({ severity: "error", code: "StoreDamaged", message, path: file }));
  } finally {
    await database.close();
  }
}

async function checkPostgres(url: string): Promise<readonly Problem[]> {
  const [{ postgresDatabase }, { checkDatabase }] = await Promise.all([
    import("./database/postgres-database.ts"),
    import("./check-database.ts"),
  ]);
  const database = await postgresDatabase({ url, connections: 1, patience: 0 }, () => Promise.resolve());
  try {
    return await checkDatabase(database, Date.now());
  } finally {
    await database.close();
  }
}
