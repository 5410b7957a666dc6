import { buildStoreContract } from "./builds/build-store.suite.ts";
import { cardStoreContract } from "./cards/card-store.suite.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./ports/ports.ts";
import { runStoreContract } from "./runs/run-store.suite.ts";
import { sessionStoreContract } from "./sessions/session-store.suite.ts";
import { testDatabase } from "../../testing/test-database.ts";
import { turnQueueContract } from "./queue/turn-queue.suite.ts";
import { turnStoreContract } from "./tasks/turn-store.suite.ts";

const open = async (): Promise<Store> => openStore({ postgres: await testDatabase() });

sessionStoreContract("postgres", open);
cardStoreContract("postgres", open);
turnStoreContract("postgres", open);
turnQueueContract("postgres", open);
buildStoreContract("postgres", open);
runStoreContract("postgres", open);
