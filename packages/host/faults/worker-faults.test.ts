import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { checkStore } from "../src/store/check-store.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { testDatabase } from "../testing/test-database.ts";
import type { Task } from "../src/store/ports/task-store.ts";
import type { ForkResult } from "../src/handover/plan/results.ts";
import { World } from "../src/handover/testing/world.ts";

const rounds = isThorough ? 20 : 1;
const children = isThorough ? 100 : 40;
/** A worker is killed each time this many more children have ended. */
const killEvery = Math.floor(children / 3);
const patience = { timeout: 170_000, interval: 20 };
const script = fileURLToPath(new URL("fault-worker.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "galley-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const processes = new Set<ChildProcess>();
let started = 0;

function startProcess(kind: string, place: string): ChildProcess {
  const name = `process-${(started += 1)}`;
  const child = spawn(process.execPath, [script, kind, place, name], { stdio: ["ignore", "pipe", "inherit"] });
  processes.add(child);
  child.on("exit", () => processes.delete(child));
  return child;
}

afterEach(async () => {
  const ends = [...processes].map((child) => once(child, "exit"));
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(ends);
});

const stores: [string, () => Promise<{ store: Store; place: string }>][] = [
  [
    "sqlite",
    async () => {
      const place = mkdtempSync(join(folder, "data-"));
      return { store: await openStore({ data: place }), place };
    },
  ],
  [
    "postgres",
    async () => {
      const place = await testDatabase();
      return { store: await openStore({ postgres: place }), place };
    },
  ],
];

describe.each(stores)("workers that die on %s", (kind, open) => {
  const fork = async (world: World, count: number): Promise<{ root: Task; batch: () => Promise<readonly Task[]> }> => {
    const root = await world.delegate({ instruction: String(count) });
    return { root, batch: () => world.store.tasks.list(world.projectId, { parentTaskId: root.id }) };
  };
  const isOver = ({ finishedAt }: Task): boolean => finishedAt !== null;

  test(
    `[H8] kill -9 in the middle of a fork of ${children}: every result exactly once, no task stuck, the parent resumed`,
    { timeout: 360_000 * rounds },
    async ({ task }) => {
      claimFault(task, {
        area: "processes that are killed",
        fault: `kill -9 on workers in the middle of a fork of ${children}, with ${kind}`,
        holds: "every result exactly once, no task stuck, the parent resumed; the store fits together",
        rounds: rounds,
      });
      const { store, place } = await open();
      const world = await World.open(store, { maxFailures: 1000 });
      let kills = 0;
      const workers = [startProcess(kind, place), startProcess(kind, place), startProcess(kind, place)];
      // Where this process stands still for a moment, a fork may end before anybody is killed: then there is one more.
      const isOneMore = (round: number): boolean => kills < rounds * 2 && round < rounds * 10;
      for (let round = 0; round < rounds || isOneMore(round); round += 1) {
        const { root, batch } = await fork(world, children);
        let killAt = 1;
        await vi.waitUntil(async () => {
          if (isOver(await world.task(root.id))) return true;
          const ended = (await batch()).filter(isOver).length;
          if (ended < killAt || ended === children) return false;
          killAt = ended + killEvery;
          workers.shift()?.kill("SIGKILL");
          workers.push(startProcess(kind, place));
          kills += 1;
          return false;
        }, patience);
        await expectWhole(world, root, await batch());
      }
      expect(kills).toBeGreaterThanOrEqual(rounds * 2);
      expect(await store.tasks.list(world.projectId, { status: ["queued", "running", "waiting"] })).toEqual([]);
      await store.close();
      expect(await checkStore(kind === "sqlite" ? { data: place } : { postgres: place })).toEqual([]);
    },
  );

  test("[H8] two workers in processes of their own share the work", async () => {
    const { store, place } = await open();
    const world = await World.open(store);
    const workers = [startProcess(kind, place), startProcess(kind, place)];
    await Promise.all(workers.map((worker) => once(worker.stdout ?? worker, "data")));
    const done: Task[] = [];
    const shares = (): readonly number[] =>
      [...Map.groupBy(done, ({ worker }) => worker).values()].map(({ length }) => length);
    // A fork of forty takes a fraction of a second, for which one of the two may stand still.
    for (let forks = 0; forks < 10 && !(shares().length === 2 && Math.min(...shares()) > 2); forks += 1) {
      const { root, batch } = await fork(world, 40);
      await vi.waitUntil(async () => isOver(await world.task(root.id)), patience);
      done.push(...(await batch()));
    }
    expect(shares()).toHaveLength(2);
    expect(Math.min(...shares())).toBeGreaterThan(2);
    await store.close();
  });

  async function expectWhole(world: World, root: Task, tasks: readonly Task[]): Promise<void> {
    const parent = await world.task(root.id);
    expect(parent).toMatchObject({ status: "succeeded" });
    const { status, results } = JSON.parse(parent.result as string) as ForkResult;
    expect(status).toBe("success");
    expect(results.map((result) => result["result"])).toEqual(tasks.map((_, index) => `child ${index}`));
    expect(tasks).toHaveLength(children);
    const texts = await Promise.all(tasks.map((task) => world.texts(task.outputBoxId)));
    expect(texts).toEqual(tasks.map((_, index) => [`Task ${index}`, "tool.call", "tool.result", `child ${index}`]));
  }
});
