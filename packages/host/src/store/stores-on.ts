import { buildStoreOn } from "./builds/build-store-on.ts";
import { cardStoreOn } from "./cards/card-store-on.ts";
import type { Database } from "./database/database.ts";
import type { Store } from "./ports/ports.ts";
import { runStoreOn } from "./runs/run-store-on.ts";
import { sessionStoreOn } from "./sessions/session-store-on.ts";
import { turnStoreOn } from "./tasks/turn-store-on.ts";

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
