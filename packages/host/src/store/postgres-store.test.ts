import { buildStoreContract } from "./build-store.suite.ts";
import { cardStoreContract } from "./card-store.suite.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./ports.ts";
import { runStoreContract } from "./run-store.suite.ts";
import { sessionStoreContract } from "./session-store.suite.ts";
import { testDatabase } from "./test-database.test-support.ts";
import { turnQueueContract } from "./turn-queue.suite.ts";
import { turnStoreContract } from "./turn-store.suite.ts";

const open = async (): Promise<Store> => openStore({ postgres: await testDatabase() });

sessionStoreContract("postgres", open);
cardStoreContract("postgres", open);
turnStoreContract("postgres", open);
turnQueueContract("postgres", open);
buildStoreContract("postgres", open);
runStoreContract("postgres", open);
