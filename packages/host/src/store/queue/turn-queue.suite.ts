import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Store } from "../ports/ports.ts";
import { fresh, holdOf, startOf, turnOf } from "../testing/store-samples.ts";
import type { Consumer, Delivery } from "../ports/turn-queue.ts";
import type { NewTurn } from "../ports/turn-store.ts";

const patience = { timeout: 60_000, interval: 20 };

/** What every queue promises: it delivers, at least once, and leaves the rest to the store. */
export function turnQueueContract(name: string, open: () => Promise<Store>): void {
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

    const started = async (count: number, turn: Partial<NewTurn> = {}): Promise<string[]> => {
      const ids = Array.from({ length: count }, () => fresh("q"));
      const start = startOf(
        p,
        ids.map((id) => ({ ...turn, id })),
      );
      await store.turns.start({ ...start, now: Date.now() });
      return ids;
    };
    const claim = ({ projectId, turnId }: Delivery, leaseMs = 60_000) =>
      store.turns.claim({ projectId, turnId, worker: "w", leaseMs, now: Date.now() });

    test("[H8] every turn is delivered, no more than so many at once, and runs once", async () => {
      const runs: string[] = [];
      let atOnce = 0;
      let most = 0;
      const consumer = await store.queue.consume(
        async (delivery) => {
          const turn = await claim(delivery);
          if (!turn) return;
          runs.push(turn.id);
          most = Math.max(most, (atOnce += 1));
          await sleep(5);
          atOnce -= 1;
          await store.turns.finish(holdOf(turn), { status: "succeeded", result: null }, Date.now());
        },
        { concurrency: 3 },
      );
      const ids = await started(20);
      await vi.waitFor(() => expect(runs.toSorted()).toEqual(ids.toSorted()), patience);
      await consumer.stop();
      expect(most).toBeLessThanOrEqual(3);
      const turns = await store.turns.read(p, ids);
      expect(turns.map((turn) => turn?.status)).toEqual(ids.map(() => "succeeded"));
    });

    test("[H8] a turn behind another one of its agent is not delivered again and again", async () => {
      const start = startOf(p, [{ id: fresh("q") }]);
      const long = Date.now() - 60_000;
      await store.turns.start({ ...start, now: long });
      const [first] = start.turns;
      if (!first) throw new Error("There is no turn.");
      await claim({ projectId: p, turnId: first.id });
      const behind = { ...first, id: fresh("q") };
      await store.turns.start({ ...start, cards: [], boxes: [], agents: [], turns: [behind], now: long });
      const seen: string[] = [];
      const consumer = await store.queue.consume(async ({ turnId }) => void seen.push(turnId));
      // Longer than two sweeps.
      await sleep(2500);
      await consumer.stop();
      expect(seen.filter((id) => id === behind.id).length).toBeLessThanOrEqual(1);
    });

    test("[H8] what is in the queue when nobody consumes is delivered to who comes later", async () => {
      const [id = ""] = await started(1);
      const seen: string[] = [];
      const consumer = await store.queue.consume(async ({ turnId }) => {
        seen.push(turnId);
        await claim({ projectId: p, turnId });
      });
      await vi.waitFor(() => expect(seen).toContain(id), patience);
      await consumer.stop();
      const [later = ""] = await started(1);
      await sleep(150);
      expect(seen).not.toContain(later);
      await store.turns.cancel({ projectId: p, turnId: later, now: Date.now() });
    });

    test("[H8] a turn whose worker falls silent is delivered again, and a retry at its time", async () => {
      const [silent = "", flaky = ""] = await started(2);
      const attempts: string[] = [];
      const consumer = await store.queue.consume(
        async (delivery) => {
          // Whoever takes it over has the time of a loaded machine.
          const isSilent = delivery.turnId === silent && !attempts.includes(`${silent} 1`);
          const turn = await claim(delivery, isSilent ? 300 : 60_000);
          if (!turn) return;
          attempts.push(`${turn.id} ${turn.attempt}`);
          if (turn.attempt === 1 && turn.id === silent) return;
          const error = { code: "Oops", message: "again" };
          const now = Date.now();
          await (turn.attempt === 1
            ? store.turns.retry(holdOf(turn), { error, retryAt: now + 300, now })
            : store.turns.finish(holdOf(turn), { status: "succeeded", result: turn.attempt }, now));
        },
        { concurrency: 2 },
      );
      await vi.waitFor(async () => {
        expect((await turnOf(store, p, silent)).status).toBe("succeeded");
        expect((await turnOf(store, p, flaky)).status).toBe("succeeded");
      }, patience);
      await consumer.stop();
      expect(attempts.toSorted()).toEqual([`${silent} 1`, `${silent} 2`, `${flaky} 1`, `${flaky} 2`].toSorted());
      expect((await turnOf(store, p, silent)).failures).toBe(1);
    });

    test("[H8] a handler that throws harms no other delivery, and its turn comes again", async () => {
      const [bad = "", good = ""] = await started(2);
      const errors: unknown[] = [];
      let throws = 0;
      const consumer = await store.queue.consume(
        async (delivery) => {
          if (delivery.turnId === bad && (throws += 1) === 1) throw new Error("handler broke");
          const turn = await claim(delivery);
          if (turn) await store.turns.finish(holdOf(turn), { status: "succeeded", result: null }, Date.now());
        },
        { concurrency: 2, onError: (error) => errors.push(error) },
      );
      await vi.waitFor(async () => {
        const turns = await store.turns.read(p, [bad, good]);
        expect(turns.map((turn) => turn?.status)).toEqual(["succeeded", "succeeded"]);
      }, patience);
      await consumer.stop();
      expect(errors).toEqual([expect.objectContaining({ message: "handler broke" })]);
    });

    test("[H8] stopping waits for what is being handled", async () => {
      const [id = ""] = await started(1);
      let isDone = false;
      const begun = Promise.withResolvers<void>();
      const consumer = await store.queue.consume(async (delivery) => {
        if (delivery.turnId !== id || !(await claim(delivery))) return;
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
