import type { JsonValue } from "@galley/engine";
import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";
import { findRow, rowsOf, updateRow } from "../database/rows.ts";
import { findTask, moveTask, queueTask } from "./task-transitions.ts";
import type { BatchRow, TaskRow } from "../database/tables.ts";
import { isOpen, openStatuses } from "./task-rows.ts";
import type { BatchStatus, TaskError } from "../ports/task-store.ts";

export interface Ending {
  readonly status: "succeeded" | "failed" | "cancelled" | "timeout";
  readonly result?: JsonValue;
  readonly error?: TaskError;
  readonly now: number;
}

export interface Ended {
  readonly task: TaskRow;
  readonly batch: BatchRow | undefined;
  /** Ids of tasks that were put into the queue by it. */
  readonly queued: readonly string[];
  /** Ids of the tasks that ended: this one, and those that were cancelled because of it. */
  readonly ended: readonly string[];
}

type Effects = Pick<Ended, "queued" | "ended">;

const noEffects: Effects = { queued: [], ended: [] };

function joined(...parts: readonly Effects[]): Effects {
  return { queued: parts.flatMap((part) => part.queued), ended: parts.flatMap((part) => part.ended) };
}

/**
 * Ends a task whose tree is held: its result, the count of its batch, the parent that waits for that, and the agent's
 * next task, all in one transaction.
 */
export async function endTask(tx: Transaction, task: TaskRow, ending: Ending): Promise<Ended> {
  await tx.hold(`agent:${task.project_id}:${task.agent_id}`);
  const ended = await moveTask(tx, task, {
    status: ending.status,
    result: ending.result === undefined ? null : JSON.stringify(ending.result),
    error: ending.error === undefined ? null : JSON.stringify(ending.error),
    output_end: await outputLength(tx, task),
    lease_until: null,
    finished_at: ending.now,
  });
  const woken = await wakeWaiting(tx, task, ending.now);
  const own = { queued: [...woken, ...(await deliverNext(tx, task, ending.now))], ended: [task.task_id] };
  // A task that gives up waiting, or that is cancelled, needs no answer any more.
  const below =
    task.status === "waiting" && task.waits_for !== null
      ? await cancelBatch(tx, task.project_id, task.waits_for, ending.now)
      : noEffects;
  if (task.batch_id === null) return { task: ended, batch: undefined, ...joined(own, below) };
  const { batch, effects } = await countInBatch(tx, task.project_id, task.batch_id, ending);
  return { task: ended, batch, ...joined(own, below, effects) };
}

async function countInBatch(
  tx: Transaction,
  projectId: string,
  batchId: string,
  { status, now }: Ending,
): Promise<{ batch: BatchRow; effects: Effects }> {
  const counted = await tx.query
    .updateTable("batches")
    .set((row) => ({
      open: row("open", "-", 1),
      succeeded: row("succeeded", "+", status === "succeeded" ? 1 : 0),
      timed_out: row("timed_out", "+", status === "timeout" ? 1 : 0),
    }))
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batchId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (counted.open > 0) {
    const stops = counted.fail_fast === 1 && (status === "failed" || status === "timeout");
    if (!stops) return { batch: counted, effects: noEffects };
    const effects = await cancelBatch(tx, projectId, batchId, now);
    return { batch: (await findBatch(tx, projectId, batchId)) ?? counted, effects };
  }
  const closed = { status: batchStatus(counted), closed_at: now };
  await updateRow(tx, "batches", { project_id: projectId, batch_id: batchId }, closed);
  const batch = { ...counted, ...closed };
  return { batch, effects: { queued: await wakeParent(tx, batch, now), ended: [] } };
}

function batchStatus({ size, succeeded, timed_out }: BatchRow): BatchStatus {
  if (succeeded === size) return "success";
  if (succeeded > 0) return "partial";
  return timed_out > 0 ? "timeout" : "failed";
}

async function wakeParent(tx: Transaction, batch: BatchRow, now: number): Promise<readonly string[]> {
  if (batch.parent_task_id === null) return [];
  const parent = await findTask(tx, batch.project_id, batch.parent_task_id);
  if (parent?.status !== "waiting" || parent.waits_for !== batch.batch_id) return [];
  await queueTask(tx, parent, now);
  return [parent.task_id];
}

/** Queues the tasks of the same tree that wait for this one. */
async function wakeWaiting(tx: Transaction, task: TaskRow, now: number): Promise<readonly string[]> {
  const { project_id, root_task_id, task_id } = task;
  const waiting = await rowsOf(tx, "tasks", { project_id, root_task_id, waits_for: task_id, status: "waiting" })
    .selectAll()
    .execute();
  for (const row of waiting as TaskRow[]) await queueTask(tx, row, now);
  return waiting.map((row) => row.task_id);
}

/** Delivers the agent's oldest open task, if it is one that waits in the queue. */
async function deliverNext(tx: Transaction, task: TaskRow, now: number): Promise<readonly string[]> {
  const next = await firstOpenTask(tx, task);
  if (next?.status !== "queued") return [];
  const notBefore = Math.max(now, next.not_before);
  await tx.deliver([{ projectId: task.project_id, taskId: next.task_id, notBefore }]);
  return [next.task_id];
}

/** The oldest task of the same agent that has not ended: its tasks run one after the other. */
export function firstOpenTask(tx: Transaction, { project_id, agent_id }: TaskRow) {
  return rowsOf(tx, "tasks", { project_id, agent_id })
    .select(["task_id", "status", "not_before"])
    .where("status", "in", openStatuses)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
}

export async function outputLength(tx: Transaction, { project_id, output_box_id }: TaskRow): Promise<number> {
  return (await findRow(tx, "boxes", { project_id, box_id: output_box_id }))?.length ?? 0;
}

/** Cancels what is still open in a batch, with everything below it. */
async function cancelBatch(tx: Transaction, projectId: string, batchId: string, now: number): Promise<Effects> {
  const rows = await rowsOf(tx, "tasks", { project_id: projectId, batch_id: batchId })
    .select("task_id")
    .where("status", "in", openStatuses)
    .orderBy("task_index")
    .execute();
  const error = { code: "Cancelled", message: "The batch was given up." };
  const cancelled: Effects[] = [];
  for (const { task_id } of rows) {
    cancelled.push(await cancelTree(tx, projectId, task_id, { status: "cancelled", error, now }));
  }
  return joined(...cancelled);
}

/** Ends a task and all open ones below it, from the top, so that no parent is woken only to be cancelled. */
export async function cancelTree(tx: Transaction, projectId: string, taskId: string, ending: Ending): Promise<Effects> {
  const { rows } = await sql<TaskRow>`
    with recursive below (task_id) as (
      select task_id from tasks where project_id = ${projectId} and task_id = ${taskId}
      union
      select tasks.task_id from tasks join below on tasks.parent_task_id = below.task_id
      where tasks.project_id = ${projectId}
    )
    select tasks.task_id from tasks join below on tasks.task_id = below.task_id
    where tasks.project_id = ${projectId} and status in ('queued', 'running', 'waiting')
    order by depth, seq`.execute(tx.query);
  const effects: Effects[] = [];
  for (const { task_id } of rows) {
    // Ending one can have ended others: what it waited for.
    const task = await findTask(tx, projectId, task_id);
    if (task && isOpen(task.status)) effects.push(await endTask(tx, task, ending));
  }
  return joined(...effects);
}

export function findBatch(tx: Transaction, projectId: string, batchId: string): Promise<BatchRow | undefined> {
  return findRow(tx, "batches", { project_id: projectId, batch_id: batchId });
}
