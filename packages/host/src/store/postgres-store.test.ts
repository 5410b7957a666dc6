import { buildStoreContract } from "./builds/build-store.suite.ts";
import { cardStoreContract } from "./cards/card-store.suite.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./ports/ports.ts";
import { runStoreContract } from "./runs/run-store.suite.ts";
import { sessionStoreContract } from "./sessions/session-store.suite.ts";
import { testDatabase } from "../../testing/test-database.ts";
import { taskQueueContract } from "./queue/task-queue.suite.ts";
import { taskStoreContract } from "./tasks/task-store.suite.ts";

const open = async (): Promise<Store> => openStore({ postgres: await testDatabase() });

sessionStoreContract("postgres", open);
cardStoreContract("postgres", open);
taskStoreContract("postgres", open);
taskQueueContract("postgres", open);
buildStoreContract("postgres", open);
runStoreContract("postgres", open);
