import type { BuildStore } from "./build-store.ts";
import type { CardStore } from "./card-store.ts";
import type { RunStore } from "./run-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { TurnStore } from "./turn-store.ts";

/** One database behind the six ports. Opening one with a URL or without decides where it is, and nothing else. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly sessions: SessionStore;
  readonly cards: CardStore;
  readonly turns: TurnStore;
  readonly queue: TurnQueue;
  /** What each call of a model has read. */
  readonly builds: BuildStore;
  /** Runs of the agent loop. */
  readonly runs: RunStore;
  close(): Promise<void>;
}
