import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject } from "@galley/engine";
import type { Batch, Task } from "../../store/ports/task-store.ts";
import type { Caller, TaskCaller } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { notFound, parseRequest } from "../options/request-errors.ts";
import { awaitResultSchema } from "../options/tool-arguments.ts";
import { authorityOf } from "../pack/authority.ts";

/** What a task gives back at once; the work goes on by itself. */
export interface Delegated extends JsonObject {
  readonly task_id: string;
  readonly agent_id: string;
  readonly status: string;
  readonly context_box_id: string;
  readonly output_box_id: string;
}

/** One task of a fork, by its index [H7]. */
export interface TaskResult extends JsonObject {
  readonly task_index: number;
  readonly task_id: string;
  readonly agent_id: string;
  readonly status: string;
  readonly output_box_id: string;
}

/** A fork as it stands: `running`, or how it ended. */
export interface ForkResult extends JsonObject {
  readonly batch_id: string;
  readonly status: "running" | "success" | "partial" | "failed" | "timeout";
  /** Sorted by task index. */
  readonly results: readonly TaskResult[];
}

/** A task as the caller that handed it over knows it. */
export function delegated({ id, agentId, status, contextBoxId, outputBoxId }: Task): Delegated {
  return { task_id: id, agent_id: agentId, status, context_box_id: contextBoxId, output_box_id: outputBoxId };
}

/** The end of a task as its caller reads it: the answer, or why there is none. */
export function answerOf({ status, result, error }: Task): JsonObject {
  return { status, ...(result === null ? {} : { answer: result }), ...(error ? { error: { ...error } } : {}) };
}

export function forkResult({ id, status }: Batch, tasks: readonly Task[]): ForkResult {
  return {
    batch_id: id,
    status: status === "open" ? "running" : status,
    results: tasks.toSorted((a, b) => a.taskIndex - b.taskIndex).map(taskResult),
  };
}

function taskResult({ id, agentId, taskIndex, status, outputBoxId, result, error }: Task): TaskResult {
  return {
    task_index: taskIndex,
    task_id: id,
    agent_id: agentId,
    status,
    output_box_id: outputBoxId,
    ...(result === null ? {} : { result }),
    ...(error ? { error: { ...error } } : {}),
  };
}

/** What was handed over, as it stands, for a caller that may know of it [H6]. */
export async function readResult(args: unknown, caller: Caller, { store }: Handover): Promise<JsonObject> {
  const { task_id: taskId = "", batch_id: batchId } = parseRequest(awaitResultSchema, args, "args");
  const authority = authorityOf(store, caller);
  if (batchId === undefined) return delegated(await authority.findTask({ id: taskId, path: "args.task_id" }));
  const { batch, tasks } = await authority.findFork({ id: batchId, path: "args.batch_id" });
  return forkResult(batch, tasks);
}

/** A task of the agent that waits is parked until there is a result; what it cannot be parked for is given as it stands. */
export async function awaitInTask(
  args: unknown,
  caller: TaskCaller,
  handover: Handover,
): Promise<JsonObject | undefined> {
  const { task_id: taskId, batch_id: batchId } = parseRequest(awaitResultSchema, args, "args");
  const { store, now } = handover;
  const given = await readResult(args, caller, handover);
  const [task] = taskId === undefined ? [] : await store.tasks.read(caller.projectId, [taskId]);
  if (task && task.finishedAt !== null) return { ...given, ...answerOf(task) };
  if (given["status"] !== "running" && !task) return given;
  const wait = batchId === undefined ? { taskId: taskId ?? "" } : { batchId };
  try {
    await store.tasks.suspend(caller.hold, { ...wait, now: now() });
    return undefined;
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "NotFound") throw error;
    return { ...given, note: "Another agent waits for it: this task cannot be parked for it. Go on without it." };
  }
}

/** A fork as it stands now, for its own caller: an id that comes from arguments goes through `findFork` of the authority first. */
export async function readFork(batchId: string, { projectId }: Caller, { store }: Handover): Promise<ForkResult> {
  const [batch] = await store.tasks.readBatches(projectId, [batchId]);
  if (!batch) throw notFound("args.batch_id", `There is no fork ${JSON.stringify(batchId)} in this project.`);
  return forkResult(batch, await store.tasks.list(projectId, { batchId }));
}

/** Waits until a task has ended. */
export function awaitTask(
  projectId: string,
  taskId: string,
  handover: Pick<Handover, "store" | "now">,
  signal?: AbortSignal,
): Promise<Task> {
  return untilEnded(handover, signal, async () => {
    const [task] = await handover.store.tasks.read(projectId, [taskId]);
    if (!task) throw notFound("args.task_id", `There is no task ${JSON.stringify(taskId)} in this project.`);
    return task.finishedAt === null ? undefined : task;
  });
}

/** Waits until a fork has ended; a signal ends the waiting, not the fork. */
export function awaitFork(batchId: string, caller: Caller, handover: Handover): Promise<ForkResult> {
  return untilEnded(handover, caller.signal, async () => {
    const fork = await readFork(batchId, caller, handover);
    return fork.status === "running" ? undefined : fork;
  });
}

const firstPause = 50;
const maxPause = 200;

async function untilEnded<Result>(
  { store, now }: Pick<Handover, "store" | "now">,
  signal: AbortSignal | undefined,
  look: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, maxPause)) {
    const ended = await look();
    if (ended !== undefined) return ended;
    await sleep(pause, undefined, { signal });
    // Where no worker runs, a deadline holds all the same.
    await store.tasks.tend(now());
  }
}
