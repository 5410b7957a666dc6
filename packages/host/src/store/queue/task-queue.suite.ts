import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Store } from "../ports/ports.ts";
import { fresh, holdOf, startOf, taskOf } from "../testing/store-samples.ts";
import type { Consumer, Delivery } from "../ports/task-queue.ts";
import type { NewTask } from "../ports/task-store.ts";

const patience = { timeout: 60_000, interval: 20 };

/** What every queue promises: it delivers, at least once, and leaves the rest to the store. */
export function taskQueueContract(name: string, open: () => Promise<Store>): void {
  describe(`the queue on ${name}`, () => {
    let store: Store;
    const p = "queue";
    const consumers: Consumer[] = [];
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await store.close();
    });

    const started = async (count: number, task: Partial<NewTask> = {}): Promise<string[]> => {
      const ids = Array.from({ length: count }, () => fresh("q"));
      const start = startOf(
        p,
        ids.map((id) => ({ ...task, id })),
      );
      await store.tasks.start({ ...start, now: Date.now() });
      return ids;
    };
    const claim = ({ projectId, taskId }: Delivery, leaseMs = 60_000) =>
      store.tasks.claim({ projectId, taskId, worker: "w", leaseMs, now: Date.now() });

    test("[H8] every task is delivered, no more than the limit at once, and runs once", async () => {
      const runs: string[] = [];
      let atOnce = 0;
      let max = 0;
      const consumer = await store.queue.consume(
        async (delivery) => {
          const task = await claim(delivery);
          if (!task) return;
          runs.push(task.id);
          max = Math.max(max, (atOnce += 1));
          await sleep(5);
          atOnce -= 1;
          await store.tasks.finish(holdOf(task), { status: "succeeded", result: null }, Date.now());
        },
        { concurrency: 3 },
      );
      const ids = await started(20);
      await vi.waitFor(() => expect(runs.toSorted()).toEqual(ids.toSorted()), patience);
      await consumer.stop();
      expect(max).toBeLessThanOrEqual(3);
      const tasks = await store.tasks.read(p, ids);
      expect(tasks.map((task) => task?.status)).toEqual(ids.map(() => "succeeded"));
    });

    test("[H8] a task behind another one of its agent is not delivered again and again", async () => {
      const start = startOf(p, [{ id: fresh("q") }]);
      const long = Date.now() - 60_000;
      await store.tasks.start({ ...start, now: long });
      const [first] = start.tasks;
      if (!first) throw new Error("There is no task.");
      await claim({ projectId: p, taskId: first.id });
      const behind = { ...first, id: fresh("q") };
      await store.tasks.start({ ...start, cards: [], boxes: [], agents: [], tasks: [behind], now: long });
      const seen: string[] = [];
      const consumer = await store.queue.consume(async ({ taskId }) => void seen.push(taskId));
      // Longer than two sweeps.
      await sleep(2500);
      await consumer.stop();
      expect(seen.filter((id) => id === behind.id).length).toBeLessThanOrEqual(1);
    });

    test("[H8] what is in the queue when nobody consumes is delivered to who comes later", async () => {
      const [id = ""] = await started(1);
      const seen: string[] = [];
      const consumer = await store.queue.consume(async ({ taskId }) => {
        seen.push(taskId);
        await claim({ projectId: p, taskId });
      });
      await vi.waitFor(() => expect(seen).toContain(id), patience);
      await consumer.stop();
      const [later = ""] = await started(1);
      await sleep(150);
      expect(seen).not.toContain(later);
      await store.tasks.cancel({ projectId: p, taskId: later, now: Date.now() });
    });

    test("[H8] a task whose worker falls silent is delivered again, and a retry at its time", async () => {
      const [silent = "", flaky = ""] = await started(2);
      const attempts: string[] = [];
      const consumer = await store.queue.consume(
        async (delivery) => {
          // The worker that takes it over has the time of a loaded machine.
          const isSilent = delivery.taskId === silent && !attempts.includes(`${silent} 1`);
          const task = await claim(delivery, isSilent ? 300 : 60_000);
          if (!task) return;
          attempts.push(`${task.id} ${task.attempt}`);
          if (task.attempt === 1 && task.id === silent) return;
          const error = { code: "Oops", message: "again" };
          const now = Date.now();
          await (task.attempt === 1
            ? store.tasks.retry(holdOf(task), { error, retryAt: now + 300, now })
            : store.tasks.finish(holdOf(task), { status: "succeeded", result: task.attempt }, now));
        },
        { concurrency: 2 },
      );
      await vi.waitFor(async () => {
        expect((await taskOf(store, p, silent)).status).toBe("succeeded");
        expect((await taskOf(store, p, flaky)).status).toBe("succeeded");
      }, patience);
      await consumer.stop();
      expect(attempts.toSorted()).toEqual([`${silent} 1`, `${silent} 2`, `${flaky} 1`, `${flaky} 2`].toSorted());
      expect((await taskOf(store, p, silent)).failures).toBe(1);
    });

    test("[H8] a handler that throws harms no other delivery, and its task comes again", async () => {
      const [bad = "", good = ""] = await started(2);
      const errors: unknown[] = [];
      let throws = 0;
      const consumer = await store.queue.consume(
        async (delivery) => {
          if (delivery.taskId === bad && (throws += 1) === 1) throw new Error("handler broke");
          const task = await claim(delivery);
          if (task) await store.tasks.finish(holdOf(task), { status: "succeeded", result: null }, Date.now());
        },
        { concurrency: 2, onError: (error) => errors.push(error) },
      );
      await vi.waitFor(async () => {
        const tasks = await store.tasks.read(p, [bad, good]);
        expect(tasks.map((task) => task?.status)).toEqual(["succeeded", "succeeded"]);
      }, patience);
      await consumer.stop();
      expect(errors).toEqual([expect.objectContaining({ message: "handler broke" })]);
    });

    test("[H8] stopping waits for what is being handled", async () => {
      const [id = ""] = await started(1);
      let isDone = false;
      const begun = Promise.withResolvers<void>();
      const consumer = await store.queue.consume(async (delivery) => {
        if (delivery.taskId !== id || !(await claim(delivery))) return;
        begun.resolve();
        await sleep(100);
        isDone = true;
      });
      await begun.promise;
      await consumer.stop();
      expect(isDone).toBe(true);
    });
  });
}
