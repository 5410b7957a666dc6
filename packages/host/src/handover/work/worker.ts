import { GalleyError } from "@galley/engine";
import { maxLease } from "../../store/database/clock-limits.ts";
import type { Consumer, Delivery } from "../../store/ports/task-queue.ts";
import type { FinishedTask, Hold, Task, TaskError } from "../../store/ports/task-store.ts";
import type { TaskContextFor } from "./build-task.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { newId } from "../options/new-id.ts";
import { runClaimedTask } from "./run-claimed-task.ts";
import type { RunTask } from "./task-attempt.ts";

export interface WorkerOptions extends HandoverOptions {
  readonly runTask: RunTask;
  readonly context: TaskContextFor;
  /** What the worker is called in the tables. */
  readonly name?: string;
  /** How many tasks run at once; 1 by default. */
  readonly concurrency?: number;
  /** A worker that has not been heard of for so long is taken for dead; 30 seconds by default, ten minutes at most. */
  readonly leaseMs?: number;
  /** How long a task that failed waits, by how often it has; ten minutes at most. */
  readonly retryDelay?: (failures: number) => number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** What a worker tells of itself. */
export type WorkerEvent =
  | { readonly type: "task:started"; readonly task: Task }
  | { readonly type: "task:suspended"; readonly task: Task }
  | { readonly type: "task:finished"; readonly task: Task }
  | { readonly type: "task:retried"; readonly task: Task; readonly error: TaskError }
  | { readonly type: "task:lost"; readonly task: Task }
  | { readonly type: "worker:error"; readonly error: unknown };

export interface Worker {
  /** Takes no new tasks, gives those that are running back, and ends when none is left. */
  stop(): Promise<void>;
}

const defaultLease = 30_000;
/** Timers count no further. */
const maxTimer = 2 ** 31 - 1;

/** Waits half a second after the first failure, twice as long after each further one, a minute at most. */
const doubling = (failures: number): number => Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1));

/** Runs tasks as they become due, until it is stopped [H8]. Any number of workers may share one store. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const handover = openHandover(options);
  const { onEvent = () => undefined, concurrency } = options;
  const { name = `worker-${process.pid}-${newId().slice(-6)}` } = options;
  const stopping = new AbortController();
  const handle = async (delivery: Delivery): Promise<void> => {
    if (!stopping.signal.aborted) await work(delivery, { ...options, name }, handover, stopping.signal);
  };
  const consumer: Consumer = await handover.store.queue.consume(handle, {
    onError: (error) => onEvent({ type: "worker:error", error }),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  return {
    async stop() {
      stopping.abort();
      await consumer.stop();
    },
  };
}

async function work(
  { projectId, taskId }: Delivery,
  options: WorkerOptions & { readonly name: string },
  handover: Handover,
  stopping: AbortSignal,
): Promise<void> {
  const { name, onEvent = () => undefined } = options;
  // Beats must fit the lease that the store gives, which is no longer than this.
  const leaseMs = Math.min(options.leaseMs ?? defaultLease, maxLease);
  const { store, now } = handover;
  const task = await store.tasks.claim({ projectId, taskId, worker: name, leaseMs, now: now() });
  if (!task) return;
  onEvent({ type: "task:started", task });
  const hold: Hold = { projectId, taskId, attempt: task.attempt };
  const lost = new AbortController();
  const beat = setInterval(() => {
    store.tasks.renew(hold, { leaseMs, now: now() }).then(
      (isOurs) => isOurs || lost.abort(new GalleyError("TaskLost", `The task ${taskId} is no longer ours.`)),
      (error: unknown) => onEvent({ type: "worker:error", error }),
    );
  }, leaseMs / 3);
  try {
    const signal = AbortSignal.any([lost.signal, stopping, ...deadlineSignal(task, now())]);
    const { context, runTask } = options;
    const finished = await runClaimedTask(task, { handover, context, runTask, signal });
    onEvent(finished ? { type: "task:finished", task: finished.task } : { type: "task:suspended", task });
  } catch (error) {
    onEvent(await giveUp(error, task, { hold, lost: lost.signal, stopping, options, handover }));
  } finally {
    clearInterval(beat);
  }
}

function deadlineSignal({ deadline }: Task, now: number): AbortSignal[] {
  return deadline === null ? [] : [AbortSignal.timeout(Math.min(Math.max(0, deadline - now), maxTimer))];
}

interface GivingUp {
  readonly hold: Hold;
  readonly lost: AbortSignal;
  readonly stopping: AbortSignal;
  readonly options: WorkerOptions;
  readonly handover: Handover;
}

/** An attempt that threw: the task is somebody else's, goes back, is tried again, or has failed for good. */
async function giveUp(
  error: unknown,
  task: Task,
  { hold, lost, stopping, options, handover }: GivingUp,
): Promise<WorkerEvent> {
  const { tasks } = handover.store;
  if (lost.aborted || (error instanceof GalleyError && error.code === "TaskLost")) return { type: "task:lost", task };
  try {
    if (stopping.aborted) {
      await tasks.release(hold, handover.now());
      return { type: "task:lost", task };
    }
    const failure = taskError(error);
    const finished = await recordFailure(error, failure, { task, hold, options, handover });
    const isOver = finished.task.status === "failed";
    return isOver
      ? { type: "task:finished", task: finished.task }
      : { type: "task:retried", task: finished.task, error: failure };
  } catch (second) {
    // The lease runs out by itself, and the task is found again.
    return { type: "worker:error", error: second };
  }
}

async function recordFailure(
  error: unknown,
  failure: TaskError,
  { task, hold, options, handover }: Omit<GivingUp, "lost" | "stopping"> & { readonly task: Task },
): Promise<FinishedTask> {
  const now = handover.now();
  const { tasks } = handover.store;
  // An error of ours that says so will be the same next time.
  if (error instanceof GalleyError && !error.retryable)
    return tasks.finish(hold, { status: "failed", error: failure }, now);
  const delay = (options.retryDelay ?? doubling)(task.failures + 1);
  return tasks.retry(hold, { error: failure, retryAt: now + delay, now });
}

function taskError(error: unknown): TaskError {
  if (error instanceof GalleyError) return { code: error.code, message: error.message };
  return { code: "TaskFailed", message: error instanceof Error ? error.message : String(error) };
}
