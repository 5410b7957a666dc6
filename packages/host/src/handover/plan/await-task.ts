import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@galley/engine";
import type { Task } from "../../store/ports/task-store.ts";
import type { Handover } from "../options/handover-options.ts";
import { notFound } from "../options/request-errors.ts";

const firstPause = 50;
const maxPause = 200;

/** Waits until a task has ended. */
export async function awaitTask(
  projectId: string,
  taskId: string,
  { store, now }: Pick<Handover, "store" | "now">,
  signal?: AbortSignal,
): Promise<Task> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, maxPause)) {
    const [task] = await store.tasks.read(projectId, [taskId]);
    if (!task) throw notFound("args.task_id", `There is no task ${JSON.stringify(taskId)} in this project.`);
    if (task.finishedAt !== null) return task;
    await sleep(pause, undefined, signal ? { signal } : {});
    // Where no worker is, a deadline holds all the same.
    await store.tasks.tend(now());
  }
}

/** The end of a task as whoever asked reads it: the answer, or why there is none. */
export function answerOf({ status, result, error }: Task): JsonObject {
  return { status, ...(result === null ? {} : { answer: result }), ...(error ? { error: { ...error } } : {}) };
}
