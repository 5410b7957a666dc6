// What a data folder keeps in a database: sessions, builds, runs, cards and tasks, in SQLite or PostgreSQL.
import "./disk/runtime/refuse-old-node.ts";
export { checkStore } from "./store/check-store.ts";
export { openStore, type StoreOptions } from "./store/open-store.ts";
export type {
  BuildFacts,
  BuildItem,
  BuildStore,
  BuildUsage,
  BuildWindow,
  BuiltSession,
  NewBuild,
  StoredBuild,
} from "./store/ports/build-store.ts";
export type {
  Box,
  BoxAppend,
  BoxItem,
  Card,
  CardContent,
  CardOrigin,
  CardStore,
  HydratedBox,
  NewBox,
  Pack,
  Profile,
} from "./store/ports/card-store.ts";
export type { Store } from "./store/ports/ports.ts";
export type {
  NewRun,
  RunError,
  RunFilter,
  RunHold,
  RunItem,
  RunOutcome,
  RunPlace,
  RunProgress,
  RunStatus,
  RunStore,
  StoredRun,
} from "./store/ports/run-store.ts";
export type { SessionAppend, SessionRef, SessionStore, SessionWindow } from "./store/ports/session-store.ts";
export type { ConsumeOptions, Consumer, Delivery, TaskQueue } from "./store/ports/task-queue.ts";
export type {
  Agent,
  Batch,
  BatchStatus,
  Claim,
  FinishedTask,
  Hold,
  NewAgent,
  NewBatch,
  NewTask,
  Outcome,
  Output,
  StartedTasks,
  StartTasks,
  Swept,
  Task,
  TaskError,
  TaskFilter,
  TaskStatus,
  TaskStore,
} from "./store/ports/task-store.ts";
