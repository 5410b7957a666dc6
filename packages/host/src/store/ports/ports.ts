import type { BuildStore } from "./build-store.ts";
import type { CardStore } from "./card-store.ts";
import type { RunStore } from "./run-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { TaskQueue } from "./task-queue.ts";
import type { TaskStore } from "./task-store.ts";

/** One database behind the six ports. Opening one with a URL or without decides where it is, and nothing else. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  readonly sessions: SessionStore;
  readonly cards: CardStore;
  readonly tasks: TaskStore;
  readonly queue: TaskQueue;
  /** What each call of a model has read. */
  readonly builds: BuildStore;
  /** Runs of the agent loop. */
  readonly runs: RunStore;
  close(): Promise<void>;
}
