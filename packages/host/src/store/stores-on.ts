import { cardStoreOn } from "./card-store-on.ts";
import type { Database } from "./database.ts";
import type { Store } from "./ports.ts";
import { sessionStoreOn } from "./session-store-on.ts";
import { turnStoreOn } from "./turn-store-on.ts";

/** The stores that are the same on every database. */
export function storesOn(database: Database): Pick<Store, "sessions" | "cards" | "turns"> {
  return { sessions: sessionStoreOn(database), cards: cardStoreOn(database), turns: turnStoreOn(database) };
}
