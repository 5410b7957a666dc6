import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../ports/ports.ts";
import {
  cardOf,
  claimed,
  fork,
  fresh,
  holdOf,
  noCards,
  runningRoot,
  startOf,
  taskOf,
} from "../testing/store-samples.ts";
import { taskTreeContract } from "./task-tree.suite.ts";
import type { Outcome } from "../ports/task-store.ts";

const done: Outcome = { status: "succeeded", result: { answer: 42 } };
const failed = { status: "failed", error: { code: "Oops", message: "no" } } as const satisfies Outcome;

/** What every task store promises. */
export function taskStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`tasks on ${name}`, () => {
    let store: Store;
    const p = "p";
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test("[H8] a start writes cards, boxes, agents and tasks together, and once", async () => {
      const id = fresh("t");
      const start = startOf(p, [{ id, deadline: 99_000, details: { tool: "x" } }]);
      const { created, tasks } = await store.tasks.start(start);
      expect(created).toBe(true);
      expect(tasks[0]).toMatchObject({
        id,
        status: "queued",
        attempt: 0,
        depth: 0,
        rootTaskId: id,
        parentTaskId: null,
        batchId: null,
        contextBoxId: `${id}.context`,
        outputBoxId: `${id}.output`,
        outputStart: null,
        deadline: 99_000,
        details: { tool: "x" },
        result: null,
        error: null,
      });
      expect(await store.tasks.start(start)).toMatchObject({ created: false, tasks });
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([cardOf(`${id}.card`)]);
      const [agent, nobody] = await store.tasks.readAgents(p, [`${id}.agent`, "nobody"]);
      expect(agent).toMatchObject({ id: `${id}.agent`, outputBoxId: `${id}.output`, parentAgentId: null });
      expect(nobody).toBeUndefined();
    });

    test("[H8] the same start from several sides at once makes one set of tasks", async () => {
      const start = startOf(p, [{ id: fresh("t") }, { id: fresh("t") }]);
      const starts = await Promise.all(Array.from({ length: 5 }, () => store.tasks.start(start)));
      expect(starts.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(starts.map(({ tasks }) => JSON.stringify(tasks))).size).toBe(1);
    });

    test.each([
      ["an agent that nothing has", { agents: [] }, "NotFound"],
      ["a context box that nothing has", { boxes: [] }, "NotFound"],
      ["no tasks", { tasks: [] }, "BadRequest"],
      ["a suspension without a parent", { suspend: { cards: [] } }, "BadRequest"],
      ["a parent that does not run", { parent: { projectId: p, taskId: "nothing", attempt: 1 } }, "TaskLost"],
    ])("[H2] a start with %s writes nothing", async (_, part, code) => {
      const id = fresh("t");
      await expect(store.tasks.start({ ...startOf(p, [{ id }]), ...part })).rejects.toMatchObject({ code });
      expect(await store.tasks.read(p, [id])).toEqual([undefined]);
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([undefined]);
    });

    test("[H8] new agents, tasks and batches cannot have ids that others have", async () => {
      const parent = await runningRoot(store, p);
      const { batch, tasks } = await fork(store, parent, [fresh("c")], { waits: false });
      const id = fresh("t");
      const start = startOf(p, [{ id }]);
      const taken = { code: "DuplicateId" };
      const agents = start.agents.map((agent) => ({ ...agent, id: parent.agentId }));
      await expect(store.tasks.start({ ...start, agents })).rejects.toMatchObject(taken);
      await expect(fork(store, parent, [id], { batch: { id: batch!.id }, waits: false })).rejects.toMatchObject(taken);
      const second = { ...tasks[0]!, details: {} };
      const both = { ...start, tasks: [...start.tasks, second] };
      await expect(store.tasks.start(both)).rejects.toMatchObject(taken);
      await expect(store.tasks.start({ ...both, tasks: both.tasks.toReversed() })).rejects.toMatchObject(taken);
      expect(await store.tasks.read(p, [id])).toEqual([undefined]);
      expect(await store.cards.readCards(p, [`${id}.card`])).toEqual([undefined]);
    });

    test("[H8] of many claims of one task one gets it, and each claim raises the attempt", async () => {
      const id = fresh("t");
      await store.tasks.start(startOf(p, [{ id }]));
      const claim = { projectId: p, taskId: id, leaseMs: 10_000, now: 1000 };
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, n) => store.tasks.claim({ ...claim, worker: `w${n}` })),
      );
      const [task, ...others] = claims.filter((each) => each !== undefined);
      expect(others).toEqual([]);
      expect(task).toMatchObject({
        status: "running",
        attempt: 1,
        leaseUntil: 11_000,
        outputStart: 0,
        startedAt: 1000,
      });
      await store.tasks.release(holdOf(task!), 2000);
      expect(await claimed(store, p, id, 3000)).toMatchObject({ attempt: 2, failures: 0, startedAt: 1000 });
    });

    test("[H8] a result is recorded once, with its cards; repeating it gives the same answer", async () => {
      const task = await runningRoot(store, p);
      const outcome = { ...done, output: { cards: [cardOf(`${task.id}.1`), cardOf(`${task.id}.2`)] } };
      const first = await store.tasks.finish(holdOf(task), outcome, 2000);
      expect(first.task).toMatchObject({
        status: "succeeded",
        result: { answer: 42 },
        outputStart: 0,
        outputEnd: 2,
        finishedAt: 2000,
        leaseUntil: null,
      });
      expect((await store.tasks.finish(holdOf(task), outcome, 3000)).task).toEqual(first.task);
      const box = await store.cards.openBox(p, task.outputBoxId);
      expect(box?.items).toEqual([1, 2].map((n) => ({ cardId: `${task.id}.${n}`, origin: "output" })));
      await expect(store.tasks.finish(holdOf(task), failed, 3000)).rejects.toMatchObject({ code: "TaskLost" });
    });

    test("[H8] whatever a task results in survives: NUL, half surrogates, null", async () => {
      for (const result of ["a\0b\ud800", null, [1.5, { deep: "\udfff" }]]) {
        const task = await runningRoot(store, p);
        await store.tasks.finish(holdOf(task), { status: "succeeded", result }, 2000);
        expect((await taskOf(store, p, task.id)).result).toEqual(result);
      }
    });

    test("[H8] a worker that lost its task can write nothing", async () => {
      const old = await runningRoot(store, p);
      await store.tasks.release(holdOf(old), 1500);
      const present = await claimed(store, p, old.id, 2000);
      const cards = [cardOf(`${old.id}.late`)];
      const hold = holdOf(old);
      const lost = { code: "TaskLost" };
      await expect(store.tasks.finish(hold, { ...done, output: { cards } }, 2000)).rejects.toMatchObject(lost);
      await expect(store.tasks.record(hold, { cards }, 2000)).rejects.toMatchObject(lost);
      await expect(store.tasks.suspend(hold, { batchId: "b", now: 2000 })).rejects.toMatchObject(lost);
      await expect(store.tasks.retry(hold, { error: failed.error, retryAt: 1, now: 1 })).rejects.toMatchObject(lost);
      await expect(store.tasks.release(hold, 2000)).rejects.toMatchObject(lost);
      await expect(fork(store, old, [fresh("c")])).rejects.toMatchObject(lost);
      expect(await store.tasks.renew(hold, { leaseMs: 1, now: 2000 })).toBe(false);
      expect(await store.tasks.renew(holdOf(present), { leaseMs: 5000, now: 2000 })).toBe(true);
      expect(await taskOf(store, p, old.id)).toMatchObject({ status: "running", attempt: 2, leaseUntil: 7000 });
      expect(await store.cards.readCards(p, [`${old.id}.late`])).toEqual([undefined]);
    });

    test("[H8] what is recorded in the middle of a task stays when another worker takes over", async () => {
      const task = await runningRoot(store, p);
      const output = { cards: [cardOf(`${task.id}.step`)] };
      await store.tasks.record(holdOf(task), output, 1500);
      await store.tasks.record(holdOf(task), output, 1500);
      expect(await store.tasks.sweep(11_000)).toMatchObject({ recovered: expect.arrayContaining([task.id]) });
      const next = await claimed(store, p, task.id, 11_000);
      expect(next).toMatchObject({ attempt: 2, failures: 1, outputStart: 0 });
      expect((await store.cards.openBox(p, task.outputBoxId))?.items).toHaveLength(1);
    });

    test("[H8] a heart-beat keeps the lease; without one the task comes back, and too often makes it fail", async () => {
      const task = await runningRoot(store, p, { maxFailures: 2 });
      expect(await store.tasks.renew(holdOf(task), { leaseMs: 10_000, now: 9000 })).toBe(true);
      expect((await store.tasks.sweep(18_999)).recovered).not.toContain(task.id);
      expect((await store.tasks.sweep(19_000)).recovered).toContain(task.id);
      await claimed(store, p, task.id, 20_000);
      expect((await store.tasks.sweep(30_000)).failed).toContain(task.id);
      expect(await taskOf(store, p, task.id)).toMatchObject({
        status: "failed",
        error: { code: "WorkerLost" },
        failures: 2,
      });
    });

    test("[H8] a retry waits for its time, and the last one fails with the error", async () => {
      const task = await runningRoot(store, p, { maxFailures: 2 });
      const error = { code: "Overloaded", message: "try later" };
      const again = await store.tasks.retry(holdOf(task), { error, retryAt: 5000, now: 2000 });
      expect(again.task).toMatchObject({ status: "queued", failures: 1, notBefore: 5000, error });
      const claim = { projectId: p, taskId: task.id, worker: "w", leaseMs: 1000 };
      expect(await store.tasks.claim({ ...claim, now: 4999 })).toBeUndefined();
      const second = await claimed(store, p, task.id, 5000);
      const last = await store.tasks.retry(holdOf(second), { error, retryAt: 9000, now: 6000 });
      expect(last.task).toMatchObject({ status: "failed", failures: 2, error, finishedAt: 6000 });
    });

    test("[H8] what a clock that was wrong has put off, or leased for a year, is not waited for", async () => {
      const year = 365 * 24 * 3_600_000;
      const wrong = 1_800_000_000_000 + year;
      const putOff = fresh("t");
      await store.tasks.start({ ...startOf(p, [{ id: putOff }]), now: wrong });
      const held = fresh("t");
      await store.tasks.start({ ...startOf(p, [{ id: held, maxFailures: 5 }]), now: wrong });
      const claim = { projectId: p, worker: "w", leaseMs: 30_000 };
      const task = await store.tasks.claim({ ...claim, taskId: held, now: wrong });
      // Right again.
      const now = wrong - year;
      expect(await store.tasks.claim({ ...claim, taskId: putOff, now })).toBeUndefined();
      expect((await store.tasks.sweep(now)).recovered).toContain(held);
      expect(await store.tasks.claim({ ...claim, taskId: putOff, now })).toMatchObject({ attempt: 1 });
      expect(await store.tasks.claim({ ...claim, taskId: held, now })).toMatchObject({ attempt: 2 });
      // The worker that held it under the wrong clock has lost it.
      await expect(store.tasks.finish(holdOf(task!), done, now)).rejects.toMatchObject({ code: "TaskLost" });
    });

    test("[H8] a machine whose clock is behind leaves the longest lease and the longest delay alone", async () => {
      const now = 1_900_000_000_000;
      const behind = now - 5000;
      const [held, putOff] = [fresh("t"), fresh("t")];
      await store.tasks.start({ ...startOf(p, [{ id: held }, { id: putOff }]), now });
      const claim = { projectId: p, worker: "w", leaseMs: 600_000, now };
      await store.tasks.claim({ ...claim, taskId: held });
      const retried = await store.tasks.claim({ ...claim, taskId: putOff });
      const retryAt = now + 600_000;
      await store.tasks.retry(holdOf(retried!), { error: failed.error, retryAt, now });
      expect((await store.tasks.sweep(behind)).recovered).not.toContain(held);
      expect(await taskOf(store, p, held)).toMatchObject({ status: "running", attempt: 1 });
      expect(await taskOf(store, p, putOff)).toMatchObject({ status: "queued", notBefore: retryAt });
    });

    test("[H8] a deadline holds: for claims, heart-beats, results and tasks that nobody runs", async () => {
      const queued = fresh("t");
      await store.tasks.start(startOf(p, [{ id: queued, deadline: 5000 }]));
      const running = await runningRoot(store, p, { deadline: 5000 });
      const finishing = await runningRoot(store, p, { deadline: 5000 });
      const claim = { projectId: p, taskId: queued, worker: "w", leaseMs: 1000 };
      expect(await store.tasks.claim({ ...claim, now: 5000 })).toBeUndefined();
      expect(await store.tasks.renew(holdOf(running), { leaseMs: 1000, now: 5000 })).toBe(false);
      const late = await store.tasks.finish(holdOf(finishing), done, 5000);
      expect(late.task).toMatchObject({ status: "timeout", result: null, error: { code: "Timeout" } });
      expect((await store.tasks.sweep(4999)).timedOut).not.toContain(queued);
      expect((await store.tasks.sweep(5000)).timedOut).toEqual(expect.arrayContaining([queued, running.id]));
      await expect(store.tasks.finish(holdOf(running), done, 5001)).rejects.toMatchObject({ code: "TaskLost" });
    });

    test("[H8] tasks of one agent run one after the other, and each knows where its output began", async () => {
      const first = await runningRoot(store, p);
      const ids = [fresh("t"), fresh("t")] as const;
      for (const id of ids) {
        const tasks = [{ id, agentId: first.agentId, contextBoxId: first.contextBoxId }];
        await store.tasks.start({ projectId: p, ...noCards, tasks, now: 1000 });
      }
      const claim = (taskId: string) => store.tasks.claim({ projectId: p, taskId, worker: "w", leaseMs: 9, now: 2000 });
      expect(await claim(ids[0])).toBeUndefined();
      const outcome = { ...done, output: { cards: [cardOf(fresh("c")), cardOf(fresh("c"))] } };
      expect((await store.tasks.finish(holdOf(first), outcome, 2000)).queued).toEqual([ids[0]]);
      expect(await claim(ids[1])).toBeUndefined();
      expect(await claim(ids[0])).toMatchObject({ outputStart: 2, outputBoxId: first.outputBoxId });
    });

    test("[H9] tasks, batches and agents of another project are not found", async () => {
      const task = await runningRoot(store, p);
      const { batch } = await fork(store, task, [fresh("c")]);
      const other = fresh("p");
      expect(await store.tasks.read(other, [task.id])).toEqual([undefined]);
      expect(await store.tasks.readAgents(other, [task.agentId])).toEqual([undefined]);
      expect(await store.tasks.readBatches(other, [batch!.id])).toEqual([undefined]);
      expect(await store.tasks.lineage(other, task.id)).toEqual([]);
      expect(await store.tasks.list(other)).toEqual([]);
      const claim = { projectId: other, taskId: task.id, worker: "w", leaseMs: 1, now: 9000 };
      expect(await store.tasks.claim(claim)).toBeUndefined();
      expect(await store.tasks.cancel({ projectId: other, taskId: task.id, now: 1 })).toEqual([]);
      const hold = { ...holdOf(task), projectId: other };
      await expect(store.tasks.finish(hold, done, 1)).rejects.toMatchObject({ code: "TaskLost" });
    });

    taskTreeContract(() => store);
  });
}
