import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { checkStore } from "../src/store/check-store.ts";
import { type StoreOptions, openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { startPostgres } from "../testing/postgres-server.ts";
import { fresh, startOf, taskOf } from "../src/store/testing/store-samples.ts";
import { testDatabase } from "../testing/test-database.ts";

// `npm run test:faults` asks for more rounds.
const rounds = isThorough ? 20 : 1;
const children = 100;
const patience = { timeout: 170_000, interval: 50 };
const workerProgram = new URL("store-worker.ts", import.meta.url);
const writerProgram = new URL("store-writer.ts", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "galley-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running = new Set<ChildProcess>();
afterEach(async () => {
  await Promise.all([...running].map(kill));
});

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function launch(program: URL, ...args: readonly string[]): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const lines: string[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), patience);
  return { child, lines };
}

const startRoot = async (store: Store): Promise<string> => {
  const id = fresh("root");
  await store.tasks.start({ ...startOf("p", [{ id, maxFailures: 1000 }]), now: Date.now() });
  return id;
};

async function doneOf(store: Store, root: string): Promise<number> {
  return (await store.tasks.list("p", { batchId: `${root}.batch`, status: ["succeeded"] })).length;
}

/** Every result exactly once, no task stuck, the parent resumed. */
async function expectAllDone(store: Store, options: StoreOptions, root: string): Promise<void> {
  await vi.waitFor(async () => expect((await taskOf(store, "p", root)).status).toBe("succeeded"), patience);
  expect((await taskOf(store, "p", root)).result).toBe(children);
  const tasks = await store.tasks.list("p", { batchId: `${root}.batch` });
  expect(tasks.map((task) => [task.status, task.result === task.attempt])).toEqual(
    Array.from({ length: children }, () => ["succeeded", true]),
  );
  const boxes = await store.cards.readBoxes(
    "p",
    tasks.map((task) => task.outputBoxId),
  );
  expect(boxes.map((box) => box?.items.map((item) => item.cardId))).toEqual(
    tasks.map((task) => [`${task.id}.card-${task.attempt}`]),
  );
  expect(await checkStore(options)).toEqual([]);
}

describe.each(["sqlite", "postgres"] as const)("faults on %s", (kind) => {
  const made = async (): Promise<StoreOptions> =>
    kind === "sqlite" ? { data: mkdtempSync(join(folder, "data-")) } : { postgres: await testDatabase() };

  test(
    "[M3] what a killed writer was told is kept, and nothing of what it had not finished",
    { timeout: 300_000 },
    async ({ task }) => {
      claimFault(task, {
        area: "processes that are killed",
        fault: `kill -9 on two writers of cards, boxes and sessions, with ${kind}`,
        holds: "what was acknowledged is there whole, and nothing half; the store fits together",
        rounds: rounds,
      });
      const options = await made();
      const store = await openStore(options);
      for (let round = 0; round < rounds; round += 1) {
        const names = [fresh("w"), fresh("w")];
        const writers = await Promise.all(names.map((name) => launch(writerProgram, JSON.stringify(options), name)));
        await sleep(100 + Math.random() * 300);
        await Promise.all(writers.map(({ child }) => kill(child)));
        for (const { lines } of writers) {
          const boxes = await Promise.all(lines.map((id) => store.cards.openBox("p", id)));
          expect(boxes.map((box) => box?.cards.filter((card) => card !== undefined).length)).toEqual(
            lines.map(() => 10),
          );
          const sessionId = lines[0]?.replace(/\.\d+$/, "") ?? "";
          const ids = (await store.sessions.read({ projectId: "p", sessionId })).map((entry) => entry.id);
          expect(ids.slice(0, lines.length)).toEqual(lines);
        }
        expect(await checkStore(options)).toEqual([]);
      }
      await store.close();
    },
  );
});

test(
  "[H8] PostgreSQL restarts in the middle of the work, and the tasks go on by themselves",
  { timeout: 360_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "PostgreSQL",
      fault: "the server is stopped and comes back, at once and in good order, while workers work",
      holds: "the workers stay, the tasks go on by themselves, every result once",
      rounds: 2,
    });
    const server = await startPostgres({ durable: true });
    try {
      const options = { postgres: await server.createDatabase() };
      const store = await openStore(options);
      await Promise.all([1, 2].map(() => launch(workerProgram, JSON.stringify(options), fresh("w"), String(children))));
      const root = await startRoot(store);
      for (const [signal, awayMs] of [
        ["SIGQUIT", 500],
        ["SIGINT", 0],
      ] as const) {
        const before = await doneOf(store, root);
        await vi.waitFor(async () => expect(await doneOf(store, root)).toBeGreaterThan(before), patience);
        await server.goAway(signal);
        await sleep(awayMs);
        await server.comeBack();
      }
      await expectAllDone(store, options, root);
      expect([...running].map((child) => child.exitCode)).toEqual([null, null]);
      await Promise.all([...running].map(kill));
      await store.close();
    } finally {
      await server.stop();
    }
  },
);
