import { GalleyError } from "@galley/engine";
import { appendToBox } from "../cards/append-to-box.ts";
import { maxDelay } from "../database/clock-limits.ts";
import type { Transaction } from "../database/database.ts";
import { findRow } from "../database/rows.ts";
import { type Lease, leaseEnd, letGo, lost, moveWork, taken } from "../work/held-work.ts";
import { type Ended, endTask, findBatch, firstOpenTask, outputLength } from "./finish-task.ts";
import { heldTask, lockTask, moveTask, workHold } from "./task-transitions.ts";
import { outputItems } from "./output-items.ts";
import type { TaskRow } from "../database/tables.ts";
import type { Claim, Hold, Outcome, Output, TaskError } from "../ports/task-store.ts";

/** Takes a task that is due. */
export async function claimTask(tx: Transaction, claim: Claim): Promise<TaskRow | undefined> {
  const { projectId, taskId, now } = claim;
  const task = await lockTask(tx, projectId, taskId);
  if (!task || task.status !== "queued" || task.not_before > now || isLate(task, now)) return undefined;
  const first = await firstOpenTask(tx, task);
  if (first?.task_id !== taskId) return undefined;
  return moveTask(tx, task, {
    ...taken(task, claim),
    output_start: task.output_start ?? (await outputLength(tx, task)),
    started_at: task.started_at ?? now,
  });
}

/** A task past its deadline is lost, too: a sweep ends it. */
export async function renewLease(tx: Transaction, hold: Hold, lease: Lease): Promise<boolean> {
  const task = await moveWork(tx, "tasks", workHold(hold), { lease_until: leaseEnd(lease) });
  return task !== undefined && !isLate(task, lease.now);
}

export async function recordOutput(tx: Transaction, hold: Hold, output: Output | undefined): Promise<TaskRow> {
  const task = await heldTask(tx, hold);
  await appendOutput(tx, task, output);
  return task;
}

async function appendOutput(tx: Transaction, task: TaskRow, output: Output | undefined): Promise<void> {
  const { cards, items } = outputItems(output);
  if (items.length > 0) {
    await appendToBox(tx, { projectId: task.project_id, boxId: task.output_box_id, cards, items });
  }
}

export async function suspendTask(
  tx: Transaction,
  hold: Hold,
  { batchId, output, now }: { readonly batchId: string; readonly output?: Output; readonly now: number },
): Promise<TaskRow> {
  const task = await recordOutput(tx, hold, output);
  const batch = await findRow(tx, "batches", { project_id: hold.projectId, batch_id: batchId });
  // A batch of someone else closes under another tree's lock, so that its end could be missed.
  if (!batch || batch.parent_task_id !== hold.taskId) {
    throw new GalleyError("NotFound", `The task has started no batch ${JSON.stringify(batchId)}.`);
  }
  const change = { ...letGo, waits_for: batchId };
  if (batch.status === "open") return moveTask(tx, task, { ...change, status: "waiting" });
  await tx.deliver([{ projectId: hold.projectId, taskId: hold.taskId, notBefore: now }]);
  return moveTask(tx, task, { ...change, status: "queued", not_before: now });
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
  { error, retryAt, now }: { readonly error: TaskError; readonly retryAt: number; readonly now: number },
): Promise<Ended> {
  if (isLate(task, now)) return endTask(tx, task, timeout(task, now));
  const failures = task.failures + 1;
  const notBefore = Math.min(retryAt, now + maxDelay);
  if (failures >= task.max_failures) {
    const failed = await moveTask(tx, task, { failures });
    return endTask(tx, failed, { status: "failed", error, now });
  }
  const again = await moveTask(tx, task, {
    ...letGo,
    status: "queued",
    failures,
    not_before: notBefore,
    error: JSON.stringify(error),
  });
  await tx.deliver([{ projectId: task.project_id, taskId: task.task_id, notBefore }]);
  return { task: again, batch: undefined, queued: [task.task_id], ended: [] };
}

export async function releaseTask(tx: Transaction, hold: Hold, now: number): Promise<void> {
  const task = await heldTask(tx, hold);
  await moveTask(tx, task, { ...letGo, status: "queued", not_before: now });
  await tx.deliver([{ projectId: hold.projectId, taskId: hold.taskId, notBefore: now }]);
}

export function isLate(task: TaskRow, now: number): boolean {
  return task.deadline !== null && task.deadline <= now;
}

export function timeout(task: TaskRow, now: number): { status: "timeout"; error: TaskError; now: number } {
  const message = `The deadline ${new Date(task.deadline ?? now).toISOString()} has passed.`;
  return { status: "timeout", error: { code: "Timeout", message }, now };
}
