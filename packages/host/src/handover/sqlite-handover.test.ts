import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll } from "vitest";
import { openStore } from "../store/open-store.ts";
import { authorityContract } from "./pack/authority.suite.ts";
import { callerContract } from "./plan/caller.suite.ts";
import { delegateContract } from "./plan/delegate.suite.ts";
import { forkContract } from "./plan/fork.suite.ts";
import { packContract } from "./pack/pack.suite.ts";
import { workerLifeContract } from "../turn/run/worker-life.suite.ts";
import { workerContract } from "../turn/run/worker.suite.ts";
import type { StoreUnderTest } from "./testing/world.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-handover-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function storeUnderTest(): StoreUnderTest {
  const data = mkdtempSync(join(folder, "data-"));
  return { name: "sqlite", open: () => openStore({ data }), dump: async () => dump(join(data, "galley.sqlite")) };
}

function dump(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    return JSON.stringify(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${String(name)}"`).all()]));
  } finally {
    db.close();
  }
}

packContract(storeUnderTest());
delegateContract(storeUnderTest());
authorityContract(storeUnderTest());
callerContract(storeUnderTest());
forkContract(storeUnderTest());
workerContract(storeUnderTest());
workerLifeContract(storeUnderTest());
