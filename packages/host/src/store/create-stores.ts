import { sqlBuildStore } from "./builds/sql-build-store.ts";
import { sqlCardStore } from "./cards/sql-card-store.ts";
import type { LateDatabase } from "./database/late-writes.ts";
import type { Store } from "./ports/ports.ts";
import { sqlRunStore } from "./runs/sql-run-store.ts";
import { sqlSessionStore } from "./sessions/sql-session-store.ts";
import { sqlTaskStore } from "./tasks/sql-task-store.ts";

/** The stores that are the same on every database. */
export function createStores(database: LateDatabase): Omit<Store, "kind" | "queue" | "close"> {
  return {
    sessions: sqlSessionStore(database),
    cards: sqlCardStore(database),
    tasks: sqlTaskStore(database),
    builds: sqlBuildStore(database),
    runs: sqlRunStore(database),
  };
}
