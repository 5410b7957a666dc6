import type { CardStore } from "./card-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { TurnStore } from "./turn-store.ts";

/** One database behind the four ports. Opening one with a URL or without decides where it is, and nothing else. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly sessions: SessionStore;
  readonly cards: CardStore;
  readonly turns: TurnStore;
  readonly queue: TurnQueue;
  close(): Promise<void>;
}
