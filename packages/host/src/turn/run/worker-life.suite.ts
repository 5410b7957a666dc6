import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject } from "@galley/engine";
import { describe, expect, test, vi } from "vitest";
import { type Answering, callOf, patience, plain, said, workerStage } from "../testing/worker-stage.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { StoreUnderTest } from "../../handover/testing/world.ts";

const answer =
  (text: string): Answering =>
  async () =>
    said(text);

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

/** What the call of a task gave, which the task answers with. */
function resultOf({ result }: Task): unknown {
  const { type, value } = JSON.parse(result as string) as { readonly type: string; readonly value: unknown };
  expect(type).toBe("json");
  return value;
}

/** What becomes of tasks whose workers fail, stop, die or wait, on every store. */
export function workerLifeContract({ name, open }: StoreUnderTest): void {
  describe(`the life of tasks on ${name}`, () => {
    const stage = workerStage(open);

    test("[H8] what fails is tried again, three times at most; what cannot succeed is not", async () => {
      const flaky = await stage.world.delegate({ instruction: "flaky" });
      const broken = await stage.world.delegate({ instruction: "broken" });
      const hopeless = await stage.world.delegate({ instruction: "hopeless" });
      await stage.work(async ({ task }) => {
        if (task.id === flaky.id && task.attempt === 3) return said("at last");
        if (task.id === hopeless.id) throw new GalleyError("BadRequest", "It will never work.");
        throw new Error(`attempt ${task.attempt}`);
      });
      expect(await stage.ended(flaky.id)).toMatchObject({ status: "succeeded", attempt: 3, failures: 2, error: null });
      expect(await stage.ended(broken.id)).toMatchObject({
        status: "failed",
        attempt: 3,
        error: { code: "TaskFailed", message: "attempt 3" },
      });
      expect(await stage.ended(hopeless.id)).toMatchObject({
        status: "failed",
        attempt: 1,
        error: { code: "BadRequest" },
      });
    });

    test("[H8] a cancelled task is told to stop, and a deadline holds", async () => {
      const hang: Answering = ({ signal }) => untilAborted(signal);
      const cancelled = await stage.world.delegate();
      const late = await stage.world.delegate({ deadline_seconds: 1 });
      const lost: string[] = [];
      await stage.work(hang, {
        concurrency: 2,
        leaseMs: 300,
        onEvent: (event) => event.type === "task:lost" && lost.push(event.task.id),
      });
      await vi.waitUntil(async () => (await stage.world.task(cancelled.id)).status === "running", patience);
      await stage.store.tasks.cancel({ projectId: stage.world.projectId, taskId: cancelled.id, now: Date.now() });
      expect(await stage.ended(cancelled.id)).toMatchObject({ status: "cancelled" });
      await vi.waitUntil(() => lost.includes(cancelled.id), patience);
      expect(await stage.ended(late.id)).toMatchObject({ status: "timeout" });
    });

    test("[H8] a worker that stops gives its task back, and another goes on behind what was recorded", async () => {
      const task = await stage.world.delegate();
      const first = await stage.work(async ({ build, signal }) =>
        build.messages.at(-1)?.role === "user" ? callOf("none", {}) : untilAborted(signal),
      );
      await vi.waitUntil(async () => (await stage.world.readBox(task.outputBoxId)).items.length === 3, patience);
      await first.stop();
      expect(await stage.world.task(task.id)).toMatchObject({ status: "queued", failures: 0 });
      let seen: string[] = [];
      await stage.work(async ({ build }) => {
        seen = plain(build);
        return said("whole");
      });
      expect(await stage.ended(task.id)).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(seen.at(-2)).toMatch(/^assistant: .*"toolName":"none"/);
      expect(seen.at(-1)).toMatch(/^tool: .*There is no tool/);
    });

    test("[H8] a worker that asks for a longer lease than is given renews the one that it got in time", async () => {
      const task = await stage.world.delegate();
      const begun = Date.now();
      let passed = 0;
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      try {
        await stage.work(({ signal }) => untilAborted(signal), { leaseMs: 3_600_000, now: () => begun + passed });
        await vi.waitUntil(async () => (await stage.world.task(task.id)).status === "running", patience);
        expect((await stage.world.task(task.id)).leaseUntil).toBe(begun + 600_000);
        passed = 300_000;
        vi.advanceTimersByTime(passed);
        await vi.waitUntil(
          async () => (await stage.world.task(task.id)).leaseUntil === begun + passed + 600_000,
          patience,
        );
      } finally {
        vi.useRealTimers();
      }
      await stage.store.tasks.cancel({ projectId: stage.world.projectId, taskId: task.id, now: Date.now() });
    });

    test("[T1] tasks have the limits of runs, by the same names", async () => {
      const slow = await stage.world.delegate({ instruction: "slow" });
      const often = await stage.world.delegate({ instruction: "often" });
      await stage.work(async ({ task, signal }) => (task.id === slow.id ? untilAborted(signal) : callOf("none", {})), {
        concurrency: 2,
        with: { limits: { maxMilliseconds: 2000, maxCalls: 3 } },
      });
      expect(await stage.ended(often.id)).toMatchObject({
        status: "failed",
        error: { code: "TaskFailed", message: expect.stringContaining("3 times") },
      });
      expect(await stage.ended(slow.id)).toMatchObject({
        status: "failed",
        attempt: 1,
        error: { code: "TaskFailed", message: expect.stringContaining("2000 ms") },
      });
    });

    test("[H8] a worker that dies is replaced, and its late result does not count", async () => {
      const task = await stage.world.delegate();
      const { projectId } = stage.world;
      const dead = await vi.waitUntil(
        () => stage.store.tasks.claim({ projectId, taskId: task.id, worker: "dead", leaseMs: 50, now: Date.now() }),
        patience,
      );
      await sleep(60);
      await stage.work(answer("from the second"));
      expect(await stage.ended(task.id)).toMatchObject({
        status: "succeeded",
        attempt: 2,
        failures: 1,
        result: "from the second",
      });
      const hold = { projectId, taskId: task.id, attempt: dead.attempt };
      await expect(
        stage.store.tasks.finish(hold, { status: "succeeded", result: "from the first" }, Date.now()),
      ).rejects.toMatchObject({ code: "TaskLost" });
    });

    /** An agent that forks once and answers with what comes back; its children answer with their index. */
    const forking = (tasks: readonly JsonObject[], more: JsonObject = {}): Answering => {
      return async ({ build, task }) => {
        const last = build.messages.at(-1);
        if (task.depth > 0) {
          if (last?.content === "fail") throw new GalleyError("BadRequest", "It was told to.");
          return said(`child ${task.taskIndex}`);
        }
        if (last?.role === "user") return callOf("fork_join", { tasks, ...more });
        const part = typeof last?.content === "string" ? undefined : last?.content[0];
        return said(part?.type === "tool-result" ? JSON.stringify(part.output) : "no result");
      };
    };
    const taskFor = (instruction = "x"): JsonObject => ({ target_strategy: "new", target_ref: "writer", instruction });

    test("[H7] a fork parks its task, so that even one worker at a time runs the children and then the parent", async () => {
      const parent = await stage.world.delegate();
      await stage.work(forking([taskFor(), taskFor(), taskFor()]));
      const task = await stage.ended(parent.id);
      expect(task).toMatchObject({ status: "succeeded", failures: 0, attempt: 2 });
      expect(resultOf(task)).toMatchObject({
        status: "success",
        results: [0, 1, 2].map((index) => ({ task_index: index, status: "succeeded", result: `child ${index}` })),
      });
      expect(await stage.store.tasks.list(stage.world.projectId, { parentTaskId: parent.id })).toHaveLength(3);
      const box = await stage.store.cards.openBox(stage.world.projectId, parent.outputBoxId);
      expect(box?.cards.map((card) => card?.content.kind)).toEqual(["text", "tool-call", "tool-result", "text"]);
    });

    test("[H7] the parent learns which of its tasks failed", async () => {
      const parent = await stage.world.delegate();
      await stage.work(forking([taskFor(), taskFor("fail")]));
      expect(resultOf(await stage.ended(parent.id))).toMatchObject({
        status: "partial",
        results: [{ status: "succeeded" }, { status: "failed", error: { code: "BadRequest" } }],
      });
    });

    test("[H4] a call that the model got wrong comes back to it as an error with the path", async () => {
      const parent = await stage.world.delegate();
      let result: unknown;
      await stage.work(async ({ build }) => {
        const last = build.messages.at(-1);
        if (last?.role === "user") return callOf("fork_join", { tasks: [{ target_ref: "x" }] });
        result = last?.content;
        return said("ok");
      });
      await stage.ended(parent.id);
      expect(result).toMatchObject([
        { output: { type: "error-json", value: { code: "ToolInputInvalid", path: "tasks.0.target_strategy" } } },
      ]);
    });
  });
}
