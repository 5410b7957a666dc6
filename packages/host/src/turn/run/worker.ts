import { GalleyError } from "@galley/engine";
import type { RunEvent } from "../../api/run-event.ts";
import { type Handover, type HandoverOptions, openHandover } from "../../handover/options/handover-options.ts";
import { maxDelayMs } from "../../limits/with-timeout.ts";
import { newId } from "../../handover/options/new-id.ts";
import { maxLease } from "../../store/database/clock-limits.ts";
import type { Consumer, Delivery } from "../../store/ports/task-queue.ts";
import type { FinishedTask, Hold, Task, TaskError } from "../../store/ports/task-store.ts";
import { type TaskSetup, executeTask } from "./execute-task.ts";
import { giveUp, keepLease, lostError, publicError } from "./lease.ts";

/** What a worker runs tasks with, and how many at once. */
export interface WorkerOptions extends HandoverOptions {
  readonly setup: TaskSetup;
  /** What the worker is called in the tables. */
  readonly name?: string;
  /** How many tasks run at once; 1 by default. */
  readonly concurrency?: number;
  /** A worker without a sign of life for this long counts as dead; 30 seconds by default, ten minutes at most. */
  readonly leaseMs?: number;
  /** How long a task that failed waits, by how often it has; ten minutes at most. */
  readonly retryDelay?: (failures: number) => number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** What a worker tells of itself. */
export type WorkerEvent =
  | { readonly type: "task:started"; readonly task: Task }
  /** It waits for tasks of its own, and has given its worker back. */
  | { readonly type: "task:suspended"; readonly task: Task }
  /** What happens in the task, as in a run. */
  | { readonly type: "task:progress"; readonly task: Task; readonly event: RunEvent }
  | { readonly type: "task:finished"; readonly task: Task }
  | { readonly type: "task:retried"; readonly task: Task; readonly error: TaskError }
  | { readonly type: "task:lost"; readonly task: Task }
  | { readonly type: "worker:error"; readonly error: unknown };

/** A worker that takes tasks until it is stopped. */
export interface Worker {
  /** Takes no new tasks, gives those that are running back, and ends when none is left. */
  stop(): Promise<void>;
}

const defaultLease = 30_000;

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
    concurrency,
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
  const endLease = keepLease(
    {
      renew: () => store.tasks.renew(hold, { leaseMs, now: now() }),
      onLost: () => lost.abort(lostError("task", taskId)),
      onError: (error) => onEvent({ type: "worker:error", error }),
    },
    leaseMs,
  );
  try {
    const stop = AbortSignal.any([lost.signal, stopping, ...deadlineSignal(task, now())]);
    const { setup } = options;
    const parts = { ...setup.services, project: projectId, store, now };
    const emit = (event: RunEvent): void => onEvent({ type: "task:progress", task, event });
    const finished = await executeTask(parts, task, setup, { stop, emit });
    onEvent(finished ? { type: "task:finished", task: finished.task } : { type: "task:suspended", task });
  } catch (error) {
    const cause: unknown = lost.signal.aborted ? lost.signal.reason : error;
    onEvent(await endAttempt(cause, task, { hold, isStopping: stopping.aborted, options, handover }));
  } finally {
    endLease();
  }
}

function deadlineSignal({ deadline }: Task, now: number): AbortSignal[] {
  return deadline === null ? [] : [AbortSignal.timeout(Math.min(Math.max(0, deadline - now), maxDelayMs))];
}

interface Attempt {
  readonly hold: Hold;
  readonly isStopping: boolean;
  readonly options: WorkerOptions;
  readonly handover: Handover;
}

/** An attempt that threw: the task is somebody else's, goes back, is tried again, or has failed for good. */
async function endAttempt(cause: unknown, task: Task, attempt: Attempt): Promise<WorkerEvent> {
  const { hold, isStopping, options, handover } = attempt;
  const { code, message } = publicError(cause, options.setup.services.redactor.redact, "TaskFailed");
  const error: TaskError = { code, message };
  try {
    const ended = await giveUp(cause, {
      isHandedBack: isStopping,
      release: () => handover.store.tasks.release(hold, handover.now()),
      fail: () => recordFailure(cause, error, task, attempt),
    });
    if (!ended) return { type: "task:lost", task };
    return ended.task.status === "failed"
      ? { type: "task:finished", task: ended.task }
      : { type: "task:retried", task: ended.task, error };
  } catch (second) {
    // The lease runs out by itself, and the task is found again.
    return { type: "worker:error", error: second };
  }
}

function recordFailure(
  cause: unknown,
  error: TaskError,
  { failures }: Task,
  { hold, options, handover }: Attempt,
): Promise<FinishedTask> {
  const now = handover.now();
  const { tasks } = handover.store;
  // An error of ours that says so will be the same next time.
  if (cause instanceof GalleyError && !cause.retryable) return tasks.finish(hold, { status: "failed", error }, now);
  const delay = (options.retryDelay ?? doubling)(failures + 1);
  return tasks.retry(hold, { error, retryAt: now + delay, now });
}
