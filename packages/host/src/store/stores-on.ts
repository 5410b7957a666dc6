import { buildStoreOn } from "./build-store-on.ts";
import { cardStoreOn } from "./card-store-on.ts";
import type { Database } from "./database.ts";
import type { Store } from "./ports.ts";
import { runStoreOn } from "./run-store-on.ts";
import { sessionStoreOn } from "./session-store-on.ts";
import { turnStoreOn } from "./turn-store-on.ts";

/** The stores that are the same on every database. */
export function storesOn(database: Database): Omit<Store, "kind" | "queue" | "close"> {
  return {
    sessions: sessionStoreOn(database),
    cards: cardStoreOn(database),
    turns: turnStoreOn(database),
    builds: buildStoreOn(database),
    runs: runStoreOn(database),
  };
}
