// A worker in a process of its own: node store-worker.ts OPTIONS NAME CHILDREN
// A root turn forks so many children and waits for them; a child works for a moment and records one card.
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { type StoreOptions, openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { cardOf, holdOf, startOf } from "../src/store/testing/store-samples.ts";
import type { Turn } from "../src/store/ports/turn-store.ts";

const [options = "{}", worker = "", children = "0"] = process.argv.slice(2);
const leaseMs = 2000;
const store = await openStore(JSON.parse(options) as StoreOptions);

async function runRoot(store: Store, turn: Turn): Promise<void> {
  const hold = holdOf(turn);
  if (turn.waitsFor === null) {
    const ids = Array.from({ length: Number(children) }, (_, index) => `${turn.id}.${index}`);
    const start = startOf(
      turn.projectId,
      ids.map((id) => ({ id, maxFailures: 1000 })),
    );
    const batch = { id: `${turn.id}.batch` };
    await store.turns.start({ ...start, batch, parent: hold, suspend: { cards: [] }, now: Date.now() });
    return;
  }
  const results = await store.turns.list(turn.projectId, { batchId: turn.waitsFor });
  const result = results.filter((each) => each.status === "succeeded").length;
  await store.turns.finish(hold, { status: "succeeded", result }, Date.now());
}

async function runChild(store: Store, turn: Turn): Promise<void> {
  await sleep(Math.random() * 300);
  // The id says which attempt wrote it: a card of an attempt that was lost would show.
  const output = { cards: [cardOf(`${turn.id}.card-${turn.attempt}`)] };
  await store.turns.finish(holdOf(turn), { status: "succeeded", result: turn.attempt, output }, Date.now());
}

const consumer = await store.queue.consume(
  async ({ projectId, turnId }) => {
    const turn = await store.turns.claim({ projectId, turnId, worker, leaseMs, now: Date.now() });
    if (!turn) return;
    const beat = setInterval(() => void store.turns.renew(holdOf(turn), { leaseMs, now: Date.now() }), leaseMs / 4);
    try {
      await (turn.depth === 0 ? runRoot(store, turn) : runChild(store, turn));
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
