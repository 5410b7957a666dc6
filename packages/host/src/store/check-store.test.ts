import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { digestItem } from "@galley/engine";
import { afterEach, describe, expect, test } from "vitest";
import { buildOf, said } from "./testing/build-samples.ts";
import { checkStore } from "./check-store.ts";
import { type StoreOptions, openStore } from "./open-store.ts";
import type { Store } from "./ports/ports.ts";
import { runSql } from "../../testing/postgres-server.ts";
import { cardOf, claimed, fork, fresh, holdOf, itemsOf, runningRoot } from "./testing/store-samples.ts";
import { testDatabase } from "../../testing/test-database.ts";

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "galley-check-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A store with sessions, boxes of several versions, a batch that is done, one that is waited for, dead workers, builds and runs. */
async function fill(options: StoreOptions): Promise<void> {
  const store = await openStore(options);
  const entry = { id: "e1", ts: 1, type: "message", message: { role: "user", content: "hi" } } as const;
  await store.sessions.append({ projectId: "p", sessionId: "s" }, [entry, { ...entry, id: "e2" }]);
  await store.cards.pack({ projectId: "p", cards: [cardOf("a")], boxes: [{ id: "b", items: itemsOf("a") }], now: 1 });
  await store.cards.append({ projectId: "p", boxId: "b", cards: [cardOf("c")], items: itemsOf("c"), now: 2 });
  const root = await runningRoot(store, "p", { id: "root" });
  const child = fresh("c");
  await fork(store, root, [child], { batch: { id: "batch" } });
  await store.tasks.finish(holdOf(await claimed(store, "p", child)), { status: "succeeded", result: 1 }, 2000);
  await fork(store, await claimed(store, "p", "root", 3000), [fresh("c")], { batch: { id: "open" } });
  await fillRecords(store);
  await store.close();
}

async function fillRecords(store: Store): Promise<void> {
  const session = { projectId: "p", sessionId: "s" };
  for (const text of ["a", "b", "c"]) await store.builds.record(session, buildOf([said("first"), said(text)]));
  await store.builds.purge(session, [digestItem(said("a")), digestItem(said("b"))]);
  await store.builds.noteSent(session, 3, "{}");
  const now = Date.now();
  const request = { projectId: "p", place: {}, session: "s", model: "m", request: {}, inputTs: 1, worker: "w", now };
  const { run } = await store.runs.start({ ...request, id: "r1", leaseMs: 60_000 });
  await store.runs.save(run, { steps: [said("step")] });
  const ended = await store.runs.start({ ...request, id: "r2", leaseMs: 60_000 });
  await store.runs.finish(ended.run, { status: "failed", error: { code: "x", message: "y" } }, now);
}

const damages = [
  ["UPDATE sessions SET length = 5", "sessions/p/s"],
  ["UPDATE sessions SET tail_id = 'e1'", "sessions/p/s"],
  ["DELETE FROM box_segments WHERE box_id = 'b' AND version = 2", "boxes/p/b"],
  ["UPDATE boxes SET length = 7 WHERE box_id = 'b'", "boxes/p/b"],
  ["UPDATE box_segments SET items = '[[\"a\" x' WHERE box_id = 'b'", "boxes/p/b"],
  ["UPDATE batches SET open = 0 WHERE batch_id = 'open'", "batches/p/open"],
  ["UPDATE batches SET status = 'open' WHERE batch_id = 'batch'", "batches/p/batch"],
  ["UPDATE tasks SET waits_for = 'batch' WHERE task_id = 'root'", "tasks/p/root"],
  ["DELETE FROM boxes WHERE box_id = 'root.output'", "tasks/p/root"],
  ["UPDATE tasks SET status = 'running', lease_until = 1 WHERE batch_id = 'open'", "tasks/p/c"],
  ["UPDATE build_sessions SET builds = 4", "builds/p/s"],
  ["DELETE FROM builds WHERE n = 2", "builds/p/s"],
  ["DELETE FROM build_items WHERE number = 2", "builds/p/s"],
  ["UPDATE build_items SET body = NULL", "builds/p/s"],
  ["UPDATE builds SET own = NULL WHERE n = 3", "builds/p/s"],
  ["UPDATE builds SET own = NULL, own_count = 0 WHERE n = 3", "builds/p/s"],
  ["UPDATE build_items SET shell = NULL WHERE hash IS NULL", "builds/p/s"],
  ["INSERT INTO build_bodies VALUES ('p', 'abc', '{}')", "builds/p/abc"],
  ["UPDATE build_requests SET n = 9", "builds/p/s"],
  ["UPDATE runs SET finished_at = 5 WHERE run_id = 'r1'", "runs/p/r1"],
  ["DELETE FROM runs WHERE run_id = 'r1'", "runs/p/r1"],
  ["UPDATE runs SET lease_until = 1 WHERE run_id = 'r1'", "runs/p/r1"],
] as const;

describe.each(["sqlite", "postgres"] as const)("doctor on %s", (kind) => {
  const made = async (): Promise<StoreOptions> =>
    kind === "sqlite" ? { data: newFolder() } : { postgres: await testDatabase() };
  const execute = async ({ data = "", postgres }: StoreOptions, sql: string): Promise<void> => {
    if (postgres === undefined) {
      const db = new DatabaseSync(join(data, "galley.sqlite"));
      db.exec(sql);
      db.close();
      return;
    }
    await runSql(postgres, sql);
  };

  test("[H8] a store that was only used has no problems", async () => {
    const options = await made();
    await fill(options);
    expect(await checkStore(options)).toEqual([]);
  });

  test.each(damages)("[H8] %s is found", async (sql, path) => {
    const options = await made();
    await fill(options);
    await execute(options, sql);
    const problems = await checkStore(options);
    expect(problems.map((problem) => problem.path)).toContainEqual(expect.stringMatching(path));
  });
});

test("a folder without a store has no problems, and gets no store", async () => {
  const data = newFolder();
  expect(await checkStore({ data })).toEqual([]);
  expect(await checkStore({ data: join(data, "missing") })).toEqual([]);
});

test.each([
  ["no database", () => Buffer.from("not a database, but long enough".repeat(200))],
  ["overwritten in the middle", (file: Buffer) => file.fill("x", 4096, 4096 * 6)],
])("a file that is %s is a problem that says so", async (_, damage) => {
  const data = newFolder();
  await fill({ data });
  const file = join(data, "galley.sqlite");
  const checkpointed = new DatabaseSync(file);
  checkpointed.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  checkpointed.close();
  const bytes = damage(readFileSync(file));
  writeFileSync(file, bytes);
  const problems = await checkStore({ data });
  expect(problems.length).toBeGreaterThan(0);
  expect(new Set(problems.map((problem) => problem.code))).toEqual(new Set(["StoreDamaged"]));
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("a server that is away is a problem with a hint, and its password is not in it", async () => {
  const [problem, ...others] = await checkStore({ postgres: "postgres://me:hunter2@127.0.0.1:1/none" });
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ severity: "error", code: "StoreUnavailable", hint: expect.stringContaining("URL") });
  expect(JSON.stringify(problem)).not.toContain("hunter2");
});
