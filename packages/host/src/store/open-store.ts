import type { Store } from "./ports/ports.ts";

/** A data folder for the embedded store, or the URL of a PostgreSQL database. */
export interface StoreOptions {
  /** The data folder, made if it is missing. Default `.ship`. Not used with `postgres`. */
  readonly data?: string;
  /** The URL of a PostgreSQL database, for several machines: `postgres://user:password@host/database`. */
  readonly postgres?: string;
  /** With `postgres`: the most connections for queries. Default 10. */
  readonly connections?: number;
  /** With `postgres`: how long in ms an operation waits for a server that is away. Default 60 s. */
  readonly patience?: number;
}

/**
 * Opens the store: embedded in the data folder, or in a PostgreSQL database.
 *
 * @example
 * ```ts
 * import { openStore } from "galley/store";
 *
 * const store = await openStore({ data: ".ship" });
 * const tasks = await store.tasks.list("default", { limit: 10 });
 * console.log(tasks.length);
 * await store.close();
 * ```
 */
export async function openStore({ data = ".ship", postgres, ...options }: StoreOptions = {}): Promise<Store> {
  // Loaded when it is needed: the drivers of a database that is not used cost no time.
  if (postgres === undefined) return (await import("./sqlite-store.ts")).sqliteStore(data);
  return (await import("./postgres-store.ts")).postgresStore({ ...options, url: postgres });
}
