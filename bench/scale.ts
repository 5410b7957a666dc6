import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../packages/host/src/store/open-store.ts";
import type { Store } from "../packages/host/src/store/ports/ports.ts";
import { runSql, startPostgres } from "../packages/host/testing/postgres-server.ts";
import { cardOf, fork, fresh, holdOf, startOf } from "../packages/host/src/store/testing/store-samples.ts";
import type { Task } from "../packages/host/src/store/ports/task-store.ts";
import type { BenchReport, FigureTable } from "./claim.ts";
import { inMs, median } from "./measure.ts";

type Row = FigureTable["rows"][number];

/** What one store carries: tasks in a second, how long a delivery takes, what a task weighs. For docs/scale.md. */
export async function scaleReport(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"));
  const server = await startPostgres({ durable: true });
  const url = await server.createDatabase();
  const stores = [await openStore({ data: folder }), await openStore({ postgres: url, connections: 20 })];
  try {
    // First, while nothing waits in the queue: the other measurements claim their turns without it.
    const latencies: Row[] = [];
    for (const store of stores) latencies.push(await latency(store));
    const rows: Row[] = [];
    for (const store of stores) {
      for (const atOnce of [1, 8, 32]) rows.push(await throughput(store, atOnce));
    }
    const weight = await bytesPerTask(url, () => throughput(stores[1] as Store, 8));
    const forks: Row[] = [];
    for (const store of stores) forks.push(await forkOf(store, 100));
    return {
      claims: [],
      notes: [
        "Both stores sync every commit to disk. A task here is: start (a card, two boxes, an agent, the task, its delivery), claim, finish with one card. The model's time is not in it.",
        `A finished task weighs ${weight.toFixed(1)} kB in PostgreSQL, with its indexes and its job.`,
      ],
      tables: [
        { title: "Tasks from start to finish, from one process", rows },
        {
          title: "From the start of a task to its handler, with an idle consumer in the same process",
          rows: latencies,
        },
        { title: "A fork of 100 children, each claimed and finished, 8 at once", rows: forks },
      ],
    };
  } finally {
    for (const store of stores) await store.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function claimOf(store: Store, taskId: string): Promise<Task> {
  const claim = { projectId: "bench", taskId, worker: "bench", leaseMs: 60_000, now: Date.now() };
  const task = await store.tasks.claim(claim);
  if (!task) throw new Error(`The task ${taskId} could not be claimed.`);
  return task;
}

async function finish(store: Store, taskId: string): Promise<void> {
  const task = await claimOf(store, taskId);
  const output = { cards: [cardOf(`${taskId}.out`)] };
  await store.tasks.finish(holdOf(task), { status: "succeeded", result: { ok: true }, output }, Date.now());
}

/** Keeps this many going until all are done. */
async function inParallel(atOnce: number, count: number, work: (index: number) => Promise<void>): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work((next += 1));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return performance.now() - begun;
}

async function throughput(store: Store, atOnce: number): Promise<Row> {
  const count = 400;
  const ms = await inParallel(atOnce, count, async () => {
    const id = fresh("task");
    await store.tasks.start({ ...startOf("bench", [{ id }]), now: Date.now() });
    await finish(store, id);
  });
  return { store: store.kind, "at once": atOnce, "tasks per second": Math.round((count / ms) * 1000) };
}

async function latency(store: Store): Promise<Row> {
  const begun = new Map<string, number>();
  const times: number[] = [];
  const consumer = await store.queue.consume(
    async ({ taskId }) => {
      const start = begun.get(taskId);
      if (start === undefined) return;
      times.push(performance.now() - start);
      await finish(store, taskId);
    },
    { concurrency: 4 },
  );
  for (let n = 0; n < 50; n += 1) {
    const id = fresh("task");
    begun.set(id, performance.now());
    await store.tasks.start({ ...startOf("bench", [{ id }]), now: Date.now() });
    while (times.length <= n) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await consumer.stop();
  const sorted = times.toSorted((a, b) => a - b);
  return { store: store.kind, median: inMs(median(times)), worst: inMs(sorted.at(-1) ?? 0) };
}

async function forkOf(store: Store, children: number): Promise<Row> {
  const root = fresh("root");
  await store.tasks.start({ ...startOf("bench", [{ id: root }]), now: Date.now() });
  const parent = await claimOf(store, root);
  const ids = Array.from({ length: children }, () => fresh("child"));
  const begun = performance.now();
  await fork(store, parent, ids);
  const started = performance.now() - begun;
  const done = await inParallel(8, children, (index) => finish(store, ids[index - 1] ?? ""));
  return { store: store.kind, "start the fork": inMs(started), "run the children": inMs(done) };
}

async function bytesPerTask(url: string, run: () => Promise<Row>): Promise<number> {
  const sizeOf = async (): Promise<[number, number]> => {
    const sql = "SELECT pg_database_size(current_database()) AS bytes, (SELECT count(*) FROM tasks) AS tasks";
    const [row] = await runSql(url, sql);
    return [Number(row?.["bytes"]), Number(row?.["tasks"])];
  };
  const [bytes, tasks] = await sizeOf();
  for (let round = 0; round < 5; round += 1) await run();
  const [more, all] = await sizeOf();
  return (more - bytes) / (all - tasks) / 1000;
}
