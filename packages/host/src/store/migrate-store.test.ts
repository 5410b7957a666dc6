import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { PgBoss } from "pg-boss";
import { afterAll, describe, expect, test } from "vitest";
import { buildOf, said } from "./testing/build-samples.ts";
import { newestVersion } from "./database/migrations.ts";
import { storeCopies } from "../disk/store-files.ts";
import { type StoreOptions, openStore } from "./open-store.ts";
import { runSql } from "../../testing/postgres-server.ts";
import { testDatabase } from "../../testing/test-database.ts";

const scenario = fileURLToPath(new URL("testing/migration-scenario.ts", import.meta.url));
const isThorough = process.env["GALLEY_FAULTS"] === "1";
/** Opening the file and keeping the copy. */
const copySteps = 12;
const folder = mkdtempSync(join(tmpdir(), "galley-migrate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

/** A store of a former version with tasks that wait, failed and were lost, their builds, and runs. */
async function oldStore(kind: "sqlite" | "postgres", name: string): Promise<StoreOptions> {
  if (kind === "sqlite") return { data: oldFolder(name).data };
  const postgres = await testDatabase();
  await runSql(postgres, fixture(`${name}.postgres.sql`));
  return { postgres };
}

async function addSql({ data = "", postgres }: StoreOptions, sql: string): Promise<void> {
  if (postgres !== undefined) return void (await runSql(postgres, sql));
  const db = new DatabaseSync(join(data, "galley.sqlite"));
  db.exec(sql);
  db.close();
}

function oldFolder(name = "store-2-words"): { readonly data: string; readonly file: string } {
  const data = mkdtempSync(join(folder, "data-"));
  const file = join(data, "galley.sqlite");
  const db = new DatabaseSync(file);
  db.exec(fixture(`${name}.sqlite.sql`));
  db.close();
  return { data, file };
}

describe.each(["sqlite", "postgres"] as const)("migrating %s", (kind) => {
  test.each([
    [2, "store-2-words"],
    [3, "store-3"],
    [4, "store-4"],
    [6, "store-6"],
    [7, "store-7"],
    [8, "store-8"],
    [9, "store-9"],
  ])("[V1] a store of version %i has its turns as tasks: rows, sessions, error codes, runs", async (_, name) => {
    const store = await openStore(await oldStore(kind, name));
    const tasks = await store.tasks.list("p", { rootTaskId: "root" });
    const shown = tasks.map(({ id, status, parentTaskId }) => `${id} ${status} ${parentTaskId}`);
    expect(shown.toSorted()).toEqual(["c1 failed root", "c2 queued root", "root waiting null"]);
    const [c1, late] = await store.tasks.read("p", ["c1", "late"]);
    // What a message quotes is not a code.
    expect(c1?.error).toEqual({ code: "TaskFailed", message: 'It said "code":"TurnLost".' });
    expect(late?.error).toMatchObject({ code: "TaskLost" });
    expect((await store.tasks.readBatches("p", ["batch"]))[0]).toMatchObject({ parentTaskId: "root", open: 1 });
    const session = { projectId: "p", sessionId: "task:c1" };
    expect((await store.builds.read(session, 1))?.messages).toEqual([said("task one")]);
    const demo = { projectId: "p", sessionId: "chat:demo" };
    expect((await store.builds.read(demo, 1))?.messages).toEqual([said("hi")]);
    expect((await store.sessions.read(session)).map(({ id }) => id)).toEqual(["e1"]);
    const sessions = (await store.builds.sessions("p")).map(({ id, calls }) => `${id} ${calls}`);
    expect(sessions.toSorted()).toEqual(["chat:demo 1", "task:c1 1"]);
    const [done, failed, open] = await Promise.all(["done", "failed", "open"].map((id) => store.runs.get("p", id)));
    expect(done).toMatchObject({ calls: [1], result: { text: 'the "turns":[ of the tide', calls: [1] } });
    expect(failed?.error).toMatchObject({ code: "RunFailed" });
    expect(open).toMatchObject({
      status: "running",
      calls: [2],
      request: {
        limits: { maxCalls: 3, maxToolCallsPerReply: 4, maxMilliseconds: 5000 },
        variables: { iterations: "7" },
      },
    });
    const claim = { projectId: "p", taskId: "c2", worker: "w2", leaseMs: 10_000, now: Date.now() };
    expect(await store.tasks.claim(claim)).toMatchObject({ id: "c2", status: "running" });
    expect((await store.builds.list(session))[0]).toMatchObject({ turn: 1, callOfTurn: 1 });
    await store.close();
  });

  test("[V1] the calls of an older store say their turns, and the next one goes on from there", async () => {
    const options = await oldStore(kind, "store-5");
    const keys = ["r/1/0/all", "t1", "r/1/1/all", "r/2/0/all", "r/1/1/900"];
    const rows = [
      ...keys.map((key, at) => ["chat:old", at + 1, key]),
      ["task:t", 1, "t/1/0/all"],
      ["task:t", 2, "t/2/1/all"],
    ];
    await addSql(
      options,
      rows
        .map(
          ([session, n, key]) => `INSERT INTO builds VALUES ('p', '${session}', ${n}, '${key}', ${n}, 0,
            '{"at":1,"model":"a \\u0000 b","bySource":{}}', NULL, '[]', '[]');`,
        )
        .join("") +
        `INSERT INTO build_sessions VALUES ('p', 'chat:old', 'm', 5, 0, 1, 'demo', 1), ('p', 'task:t', 'm', 2, 0, 1, 'demo', 1);`,
    );
    const store = await openStore(options);
    const numbers = async (sessionId: string) =>
      (await store.builds.list({ projectId: "p", sessionId })).map(({ turn, callOfTurn }) => [turn, callOfTurn]);
    expect(await numbers("chat:old")).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [3, 1],
      [1, 3],
    ]);
    expect(await numbers("task:t")).toEqual([
      [1, 1],
      [1, 2],
    ]);
    const next = buildOf([said("next")]);
    expect(await store.builds.record({ projectId: "p", sessionId: "chat:old" }, next)).toMatchObject({ n: 6, turn: 4 });
    await store.close();
  });
});

describe.each(["sqlite", "postgres"] as const)("where tasks came from in %s", (kind) => {
  test("[A1] what was handed over before belongs to the person, and what says its place keeps it", async () => {
    for (const [name, origin] of [
      ["store-4", null],
      ["store-5", { place: "chat:demo", turnId: "done", callId: "call-1", anchor: "m_1" }],
    ] as const) {
      const store = await openStore(await oldStore(kind, name));
      const waiting = await store.tasks.list("p", { place: "chat:demo", isWaitingToReturn: true });
      expect(waiting.map(({ id }) => id)).toEqual(origin ? ["late"] : []);
      expect((await store.tasks.read("p", ["late"]))[0]).toMatchObject({ origin, returnedTo: null, returnedAt: null });
      await store.close();
    }
  });
});

describe.each(["sqlite", "postgres"] as const)("settings of sessions in %s", (kind) => {
  test("[T3] sessions of before have none, and get their own", async () => {
    for (const [name, settings] of [
      ["store-6", null],
      ["store-7", { language: "en" }],
    ] as const) {
      const store = await openStore(await oldStore(kind, name));
      const session = { projectId: "p", sessionId: "task:c1" };
      expect(await store.sessions.settings(session)).toEqual(settings);
      await store.sessions.configure(session, { targetRatio: 0.7 });
      expect(await store.sessions.settings(session)).toEqual({ targetRatio: 0.7 });
      await store.close();
    }
  });
});

describe("the copy of a SQLite store from before its migration", () => {
  const versionIn = (file: string): unknown => {
    const db = new DatabaseSync(file);
    try {
      return db.prepare("PRAGMA user_version").get()?.["user_version"];
    } finally {
      db.close();
    }
  };

  test("[V1b] holds what the old version held, for its owner alone, and goes with the first deletion that promises it", async () => {
    const { data, file } = oldFolder();
    const store = await openStore({ data });
    const copy = `${file}.v2`;
    expect([versionIn(copy), versionIn(file)]).toEqual([2, newestVersion]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const db = new DatabaseSync(copy);
    expect(db.prepare("SELECT count(*) AS count FROM turns").get()).toEqual({ count: 5 });
    db.close();
    await store.close();
    const again = await openStore({ data });
    expect(storeCopies(data)).toEqual([copy]);
    await again.builds.purge({ projectId: "p", sessionId: "chat:demo" }, "everything");
    expect(storeCopies(data)).toEqual([]);
    await again.close();
  });

  test("[V1a] a migration that is killed at any of its steps starts again", { timeout: 600_000 }, async () => {
    const open = (file: string, step: number): SpawnSyncReturns<string> => {
      const env = { ...process.env, GALLEY_CRASH_AT: String(step) };
      return spawnSync(process.execPath, [scenario, file], { encoding: "utf8", env });
    };
    const total = Number(open(oldFolder().file, 0).stdout);
    expect(total).toBeGreaterThan(20);
    // All that come before the first statement of the migration, and some of those behind it, which are one transaction.
    const steps = Array.from({ length: total }, (_, index) => index + 1);
    for (const step of steps.filter((one) => isThorough || one <= copySteps || one % 16 === 0 || one === total)) {
      const { data, file } = oldFolder();
      const { signal, stderr } = open(file, step);
      expect([step, signal, stderr]).toEqual([step, "SIGKILL", ""]);
      const store = await openStore({ data });
      const [root] = await store.tasks.read("p", ["root"]);
      await store.close();
      expect([step, root?.status, versionIn(`${file}.v2`), versionIn(file)]).toEqual([
        step,
        "waiting",
        2,
        newestVersion,
      ]);
      expect(readdirSync(data).filter((name) => name.endsWith(".part"))).toEqual([]);
    }
  });
});

test("[V1a] jobs that wait in the queue of an older version are delivered", async () => {
  const postgres = await testDatabase();
  await runSql(postgres, fixture("store-2-words.postgres.sql"));
  const boss = new PgBoss({ connectionString: postgres, schema: "galley_queue", schedule: false });
  await boss.start();
  await boss.createQueue("turns", { policy: "short", retryLimit: 0 });
  await boss.insert("turns", [{ data: { projectId: "p", turnId: "queued" }, singletonKey: "p/queued" }]);
  await boss.stop({ graceful: false });
  const store = await openStore({ postgres });
  const delivered: string[] = [];
  const consumer = await store.queue.consume(async ({ taskId }) => void delivered.push(taskId));
  await expect.poll(() => delivered).toContain("queued");
  await consumer.stop();
  await store.close();
  expect(await runSql(postgres, "SELECT name FROM galley_queue.queue WHERE name = 'turns'")).toEqual([]);
});
