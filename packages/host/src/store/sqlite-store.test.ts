import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { buildStoreContract } from "./builds/build-store.suite.ts";
import { cardStoreContract } from "./cards/card-store.suite.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./ports/ports.ts";
import { runStoreContract } from "./runs/run-store.suite.ts";
import { sessionStoreContract } from "./sessions/session-store.suite.ts";
import { taskQueueContract } from "./queue/task-queue.suite.ts";
import { taskStoreContract } from "./tasks/task-store.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Promise<Store> => openStore({ data: mkdtempSync(join(folder, "data-")) });

sessionStoreContract("sqlite", open);
cardStoreContract("sqlite", open);
taskStoreContract("sqlite", open);
taskQueueContract("sqlite", open);
buildStoreContract("sqlite", open);
runStoreContract("sqlite", open);
