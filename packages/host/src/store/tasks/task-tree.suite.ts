import { describe, expect, test } from "vitest";
import type { Store } from "../ports/ports.ts";
import { cardOf, claimed, fork, fresh, holdOf, runningRoot, startOf, taskOf } from "../testing/store-samples.ts";
import type { Outcome, Task } from "../ports/task-store.ts";

const done: Outcome = { status: "succeeded", result: 1 };
const failed: Outcome = { status: "failed", error: { code: "Oops", message: "no" } };

/** What every task store promises of parents, children and batches. */
export function taskTreeContract(storeOf: () => Store): void {
  describe("trees", () => {
    const p = "tree";
    const namesOf = (count: number): string[] => Array.from({ length: count }, () => fresh("c"));
    const finish = async (id: string, outcome: Outcome = done, now = 3000) =>
      storeOf().tasks.finish(holdOf(await claimed(storeOf(), p, id, 2000)), outcome, now);
    const batchOf = async (task: Task) => (await storeOf().tasks.readBatches(p, [task.waitsFor ?? ""]))[0];

    test("[H8] the last child's result closes the batch and wakes the parent, in one step", async () => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const children = namesOf(3);
      const call = cardOf(`${parent.id}.call`);
      const started = await store.tasks.start({
        ...startOf(
          p,
          children.map((id) => ({ id })),
        ),
        batch: { id: fresh("b"), details: { tool: "fork_join" } },
        parent: holdOf(parent),
        suspend: { cards: [call] },
      });
      expect(started.batch).toMatchObject({ status: "open", size: 3, open: 3, details: { tool: "fork_join" } });
      expect(started.tasks.map((task) => [task.depth, task.parentTaskId, task.rootTaskId, task.taskIndex])).toEqual(
        [0, 1, 2].map((index) => [1, parent.id, parent.id, index]),
      );
      const waiting = await taskOf(store, p, parent.id);
      expect(waiting).toMatchObject({ status: "waiting", waitsFor: started.batch?.id, leaseUntil: null });
      expect((await store.cards.openBox(p, parent.outputBoxId))?.cards).toEqual([call]);
      const [first = "", second = "", third = ""] = children;
      expect(await finish(second)).toMatchObject({ batch: { open: 2, status: "open" }, queued: [] });
      await finish(first);
      expect(await finish(third)).toMatchObject({
        batch: { open: 0, status: "success", closedAt: 3000 },
        queued: [parent.id],
      });
      const resumed = await claimed(store, p, parent.id, 4000);
      expect(resumed).toMatchObject({ attempt: 2, failures: 0, waitsFor: started.batch?.id, outputStart: 0 });
    });

    test("[A1] a task waits for another one of its tree, and is woken by its end; not for one that waits for it", async () => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const [one = "", two = ""] = namesOf(2);
      const children = [{ id: one }, { id: two }];
      await store.tasks.start({ ...startOf(p, children), parent: holdOf(parent) });
      const first = await claimed(store, p, one);
      await expect(store.tasks.suspend(holdOf(first), { taskId: "elsewhere", now: 1500 })).rejects.toMatchObject({
        code: "NotFound",
      });
      expect(await store.tasks.suspend(holdOf(parent), { taskId: one, now: 1500 })).toMatchObject({
        status: "waiting",
        waitsFor: one,
      });
      await expect(store.tasks.suspend(holdOf(first), { taskId: parent.id, now: 1500 })).rejects.toMatchObject({
        code: "BadRequest",
        message: expect.stringContaining("wait for the other"),
      });
      expect(await store.tasks.finish(holdOf(first), done, 2000)).toMatchObject({ queued: [parent.id] });
      const resumed = await claimed(store, p, parent.id, 2500);
      expect(await store.tasks.suspend(holdOf(resumed), { taskId: one, now: 2600 })).toMatchObject({
        status: "queued",
      });
    });

    test("[A1] a result waits where its task came from, goes to one turn, and waits again when that turn kept nothing", async () => {
      const store = storeOf();
      const place = "chat:a\u0000b";
      const origin = { place, turnId: "t1", callId: "c1", anchor: "m1" };
      const id = fresh("r");
      const inbox = async (): Promise<readonly string[]> =>
        (await store.tasks.list(p, { place, isWaitingToReturn: true })).map((task) => task.id);
      await store.tasks.start(startOf(p, [{ id, origin }]));
      expect([await inbox(), (await taskOf(store, p, id)).origin]).toEqual([[], origin]);
      await finish(id);
      expect(await inbox()).toEqual([id]);
      const settle = (turnId: string | null): Promise<void> =>
        store.tasks.markReturned({ projectId: p, taskIds: [id], turnId, now: 5000 });
      await settle("t2");
      await settle("t3");
      expect([await inbox(), (await taskOf(store, p, id)).returnedTo]).toEqual([[], "t2"]);
      await store.tasks.takeBackReturned({ projectId: p, place, turnId: "t3" });
      expect(await inbox()).toEqual([]);
      await store.tasks.takeBackReturned({ projectId: p, place, turnId: "t2" });
      expect(await inbox()).toEqual([id]);
      await settle(null);
      expect(await taskOf(store, p, id)).toMatchObject({ returnedTo: null, returnedAt: 5000 });
    });

    test("[H8] children that end at once are each counted, and the parent is woken once", async () => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const children = namesOf(12);
      await fork(store, parent, children);
      const ended = await Promise.all(children.map((id) => finish(id)));
      expect(ended.map(({ batch }) => batch?.open).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
        Array.from({ length: 12 }, (_, n) => n),
      );
      expect(ended.flatMap(({ queued }) => queued)).toEqual([parent.id]);
    });

    test.each([
      ["success", [done, done]],
      ["partial", [done, failed]],
      ["failed", [failed, failed]],
    ] as const)("[H7] a batch is %s", async (status, outcomes) => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const children = namesOf(2);
      await fork(store, parent, children);
      for (const [index, id] of children.entries()) await finish(id, outcomes[index]);
      expect(await batchOf(await taskOf(store, p, parent.id))).toMatchObject({ status, open: 0 });
    });

    test("[H7] a batch is timeout when no child was in time, and the parent goes on", async () => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const children = namesOf(2);
      await fork(store, parent, children, { task: { deadline: 8000 } });
      await claimed(store, p, children[0] ?? "", 2000);
      await store.tasks.sweep(8000);
      const woken = await taskOf(store, p, parent.id);
      expect(woken.status).toBe("queued");
      expect(await batchOf(woken)).toMatchObject({ status: "timeout", open: 0, closedAt: 8000 });
    });

    test("[H4] fail_fast cancels the others and what is below them, and wakes the parent", async () => {
      const store = storeOf();
      const parent = await runningRoot(store, p);
      const [bad = "", forking = "", idle = ""] = namesOf(3);
      await fork(store, parent, [bad, forking, idle], { batch: { id: fresh("b"), failFast: true } });
      const grandchildren = namesOf(2);
      await fork(store, await claimed(store, p, forking, 2000), grandchildren);
      const held = await claimed(store, p, grandchildren[0] ?? "", 2000);
      const { queued, batch } = await finish(bad, failed);
      expect(queued).toEqual([parent.id]);
      expect(batch).toMatchObject({ status: "failed", open: 0 });
      const tasks = await store.tasks.read(p, [bad, forking, idle, ...grandchildren]);
      expect(tasks.map((task) => task?.status)).toEqual(["failed", ...Array.from({ length: 4 }, () => "cancelled")]);
      await expect(store.tasks.finish(holdOf(held), done, 9000)).rejects.toMatchObject({ code: "TaskLost" });
    });

    test("[H8] cancelling a task ends everything below it, and tells its own batch", async () => {
      const store = storeOf();
      const root = await runningRoot(store, p);
      const [left = "", right = ""] = namesOf(2);
      await fork(store, root, [left, right]);
      const below = namesOf(2);
      await fork(store, await claimed(store, p, left, 2000), below, { waits: false });
      const cancelled = await store.tasks.cancel({ projectId: p, taskId: left, reason: "enough", now: 3000 });
      expect(cancelled).toEqual([left, ...below]);
      expect(await taskOf(store, p, below[0] ?? "")).toMatchObject({
        status: "cancelled",
        error: { message: "enough" },
      });
      expect(await store.tasks.cancel({ projectId: p, taskId: left, now: 3000 })).toEqual([]);
      expect((await finish(right)).batch).toMatchObject({ status: "partial" });
      const whole = await store.tasks.cancel({ projectId: p, taskId: root.id, now: 5000 });
      expect(whole).toEqual([root.id]);
    });

    test("[H8] a task that stops waiting takes its batch along, but not what it only launched", async () => {
      const store = storeOf();
      const root = await runningRoot(store, p, { deadline: 8000 });
      const [launched = ""] = namesOf(1);
      await fork(store, root, [launched], { waits: false });
      const children = namesOf(2);
      await fork(store, root, children);
      await store.tasks.sweep(8000);
      const tasks = await store.tasks.read(p, [root.id, ...children, launched]);
      expect(tasks.map((task) => task?.status)).toEqual(["timeout", "cancelled", "cancelled", "queued"]);
    });

    test("[H8] waiting for a batch that is closed already goes on at once", async () => {
      const store = storeOf();
      const root = await runningRoot(store, p);
      const [child = ""] = namesOf(1);
      const { batch } = await fork(store, root, [child], { waits: false });
      const batchId = batch?.id ?? "";
      expect((await finish(child)).queued).toEqual([]);
      const output = { cards: [cardOf(`${root.id}.out`)] };
      const task = await store.tasks.suspend(holdOf(root), { batchId, output, now: 4000 });
      expect(task).toMatchObject({ status: "queued", waitsFor: batchId, notBefore: 4000 });
      const again = await claimed(store, p, root.id, 4000);
      const foreign = await runningRoot(store, p);
      const wait = store.tasks.suspend(holdOf(foreign), { batchId, now: 4000 });
      await expect(wait).rejects.toMatchObject({ code: "NotFound" });
      const [late = ""] = namesOf(1);
      const open = await fork(store, again, [late], { waits: false });
      const waiting = await store.tasks.suspend(holdOf(again), { batchId: open.batch?.id ?? "", now: 5000 });
      expect(waiting.status).toBe("waiting");
      expect((await finish(late, done, 6000)).queued).toEqual([root.id]);
    });

    test("[H6] lineage goes up to the root, and a box says which tasks saw it", async () => {
      const store = storeOf();
      const root = await runningRoot(store, p);
      const [child = "", sibling = ""] = namesOf(2);
      await fork(store, root, [child, sibling]);
      const [grandchild = ""] = namesOf(1);
      await fork(store, await claimed(store, p, child, 2000), [grandchild]);
      const lineage = await store.tasks.lineage(p, grandchild);
      expect(lineage.map((task) => [task.id, task.depth])).toEqual([
        [grandchild, 2],
        [child, 1],
        [root.id, 0],
      ]);
      const tree = await store.tasks.list(p, { rootTaskId: root.id });
      expect(tree.map((task) => task.id)).toEqual([root.id, child, sibling, grandchild]);
      const idsOf = async (filter: Parameters<Store["tasks"]["list"]>[1]) =>
        (await store.tasks.list(p, filter)).map((task) => task.id);
      expect(await idsOf({ boxId: `${child}.output` })).toEqual([child]);
      expect(await idsOf({ boxId: `${child}.context` })).toEqual([child]);
      expect(await idsOf({ parentTaskId: root.id, status: ["queued"] })).toEqual([sibling]);
      expect(await idsOf({ rootTaskId: root.id, status: [] })).toEqual([]);
      expect(await idsOf({ limit: 1 })).toEqual([grandchild]);
      expect(await idsOf({ parentTaskId: null, limit: 1 })).toEqual([root.id]);
      expect(await idsOf({ boxId: "a\0" })).toEqual([]);
    });
  });
}
