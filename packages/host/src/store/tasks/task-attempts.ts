import { GalleyError } from "@galley/engine";
import { maxDelay } from "../database/clock-limits.ts";
import type { Transaction } from "../database/database.ts";
import { type Lease, leaseEnd, lost, moveWork, taken } from "../work/held-work.ts";
import { type Ended, type Ending, endTask, findBatch, firstOpenTask, outputLength } from "./finish-task.ts";
import {
  appendOutput,
  findTask,
  heldTask,
  lockTask,
  moveTask,
  parkTask,
  queueTask,
  workHold,
} from "./task-transitions.ts";
import { checkWait, waitsOf } from "./wait-cycles.ts";
import { isOpen } from "./task-rows.ts";
import type { TaskRow } from "../database/tables.ts";
import type { Claim, Hold, Outcome, Output, TaskStore } from "../ports/task-store.ts";

export async function claimTask(tx: Transaction, claim: Claim): Promise<TaskRow | undefined> {
  const { projectId, taskId, now } = claim;
  const task = await lockTask(tx, projectId, taskId);
  if (!task || task.status !== "queued" || task.not_before > now || isLate(task, now)) return undefined;
  const first = await firstOpenTask(tx, task);
  if (first?.task_id !== taskId) return undefined;
  return moveTask(tx, task, {
    ...(await taken(tx, task, claim)),
    output_start: task.output_start ?? (await outputLength(tx, task)),
    started_at: task.started_at ?? now,
  });
}

/** A task past its deadline is lost, too: a sweep ends it. */
export async function renewLease(tx: Transaction, hold: Hold, lease: Lease): Promise<boolean> {
  const task = await moveWork(tx, "tasks", workHold(hold), { lease_until: await leaseEnd(tx, lease) });
  return task !== undefined && !isLate(task, lease.now);
}

export async function recordOutput(tx: Transaction, hold: Hold, output: Output | undefined): Promise<TaskRow> {
  const task = await heldTask(tx, hold);
  await appendOutput(tx, task, output);
  return task;
}

export async function suspendTask(
  tx: Transaction,
  hold: Hold,
  { output, now, ...wait }: Parameters<TaskStore["suspend"]>[1],
): Promise<TaskRow> {
  const task = await recordOutput(tx, hold, output);
  if ("taskId" in wait) return suspendForTask(tx, task, wait.taskId, now);
  const { batchId } = wait;
  const batch = await findBatch(tx, hold.projectId, batchId);
  // A batch of someone else closes under another tree's lock, so that its end could be missed.
  if (!batch || batch.parent_task_id !== hold.taskId) {
    throw new GalleyError("NotFound", `The task has started no batch ${JSON.stringify(batchId)}.`);
  }
  return batch.status === "open" ? parkTask(tx, task, batchId) : queueTask(tx, task, now, { waits_for: batchId });
}

/** One of the same tree: it ends under the same lock, so that its end cannot be missed. */
async function suspendForTask(tx: Transaction, task: TaskRow, awaitedId: string, now: number): Promise<TaskRow> {
  await tx.hold(waitsOf(task.project_id));
  const awaited = await findTask(tx, task.project_id, awaitedId);
  if (!awaited || awaited.root_task_id !== task.root_task_id) {
    throw new GalleyError("NotFound", `There is no task ${JSON.stringify(awaitedId)} that this one could wait for.`);
  }
  if (!isOpen(awaited.status)) return queueTask(tx, task, now, { waits_for: awaitedId });
  await checkWait(tx, awaited, task);
  return parkTask(tx, task, awaitedId);
}

/** Ends a task with its result. Past its deadline it ends as timed out, whatever it brings. */
export async function finishTask(tx: Transaction, hold: Hold, outcome: Outcome, now: number): Promise<Ended> {
  const before = await lockTask(tx, hold.projectId, hold.taskId);
  if (before?.attempt === hold.attempt && before.status === outcome.status) {
    const batch = before.batch_id === null ? undefined : await findBatch(tx, hold.projectId, before.batch_id);
    return { task: before, batch, queued: [], ended: [] };
  }
  if (before?.status !== "running" || before.attempt !== hold.attempt) throw lost("tasks", workHold(hold), before);
  if (isLate(before, now)) return endTask(tx, before, timeout(before, now));
  await appendOutput(tx, before, outcome.output);
  return outcome.status === "succeeded"
    ? endTask(tx, before, { status: "succeeded", result: outcome.result, now })
    : endTask(tx, before, { status: "failed", error: outcome.error, now });
}

/** Gives a task back after a failure, or ends it when that was one too many. */
export async function retryTask(
  tx: Transaction,
  task: TaskRow,
  { error, retryAt, now }: Parameters<TaskStore["retry"]>[1],
): Promise<Ended> {
  if (isLate(task, now)) return endTask(tx, task, timeout(task, now));
  const failures = task.failures + 1;
  if (failures >= task.max_failures) {
    const failed = await moveTask(tx, task, { failures });
    return endTask(tx, failed, { status: "failed", error, now });
  }
  const again = await queueTask(tx, task, Math.min(retryAt, now + maxDelay), {
    failures,
    error: JSON.stringify(error),
  });
  return { task: again, batch: undefined, queued: [task.task_id], ended: [] };
}

export function isLate(task: TaskRow, now: number): boolean {
  return task.deadline !== null && task.deadline <= now;
}

export function timeout(task: TaskRow, now: number): Ending {
  const message = `The deadline ${new Date(task.deadline ?? now).toISOString()} has passed.`;
  return { status: "timeout", error: { code: "Timeout", message }, now };
}
