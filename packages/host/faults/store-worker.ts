// A worker in a process of its own: node store-worker.ts OPTIONS NAME CHILDREN
// A root task forks a number of children and waits for them; a child works for a moment and records one card.
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { type StoreOptions, openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { cardOf, holdOf, startOf } from "../src/store/testing/store-samples.ts";
import type { Task } from "../src/store/ports/task-store.ts";

const [options = "{}", worker = "", children = "0"] = process.argv.slice(2);
const leaseMs = 2000;
const store = await openStore(JSON.parse(options) as StoreOptions);

async function runRoot(store: Store, task: Task): Promise<void> {
  const hold = holdOf(task);
  if (task.waitsFor === null) {
    const ids = Array.from({ length: Number(children) }, (_, index) => `${task.id}.${index}`);
    const start = startOf(
      task.projectId,
      ids.map((id) => ({ id, maxFailures: 1000 })),
    );
    const batch = { id: `${task.id}.batch` };
    await store.tasks.start({ ...start, batch, parent: hold, suspend: { cards: [] }, now: Date.now() });
    return;
  }
  const results = await store.tasks.list(task.projectId, { batchId: task.waitsFor });
  const result = results.filter((each) => each.status === "succeeded").length;
  await store.tasks.finish(hold, { status: "succeeded", result }, Date.now());
}

async function runChild(store: Store, task: Task): Promise<void> {
  await sleep(Math.random() * 300);
  // The id says which attempt wrote it: a card of an attempt that was lost would show.
  const output = { cards: [cardOf(`${task.id}.card-${task.attempt}`)] };
  await store.tasks.finish(holdOf(task), { status: "succeeded", result: task.attempt, output }, Date.now());
}

const consumer = await store.queue.consume(
  async ({ projectId, taskId }) => {
    const task = await store.tasks.claim({ projectId, taskId, worker, leaseMs, now: Date.now() });
    if (!task) return;
    const beat = setInterval(() => void store.tasks.renew(holdOf(task), { leaseMs, now: Date.now() }), leaseMs / 4);
    try {
      await (task.depth === 0 ? runRoot(store, task) : runChild(store, task));
    } finally {
      clearInterval(beat);
    }
  },
  { concurrency: 4 },
);
process.on("SIGTERM", () => void consumer.stop().then(() => store.close()));
// A process that is killed would leave nothing for the next one.
flushCompileCache();
process.stdout.write("ready\n");
