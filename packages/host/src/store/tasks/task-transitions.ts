import { GalleyError } from "@galley/engine";
import type { Updateable } from "kysely";
import type { Transaction } from "../database/database.ts";
import type { Tables, TaskRow } from "../database/tables.ts";
import type { Hold } from "../ports/task-store.ts";

/** Holds the tree that a task belongs to and gives the task as it then stands. */
export async function lockTask(tx: Transaction, projectId: string, taskId: string): Promise<TaskRow | undefined> {
  const before = await findTask(tx, projectId, taskId);
  if (!before) return undefined;
  await tx.hold(`tree:${projectId}:${before.root_task_id}`);
  return findTask(tx, projectId, taskId);
}

export function findTask(tx: Transaction, projectId: string, taskId: string): Promise<TaskRow | undefined> {
  return tx.query
    .selectFrom("tasks")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
}

/** Gives the task that a worker holds, or says that it has lost it. */
export async function heldTask(tx: Transaction, hold: Hold): Promise<TaskRow> {
  const task = await lockTask(tx, hold.projectId, hold.taskId);
  if (task?.status === "running" && task.attempt === hold.attempt) return task;
  throw lost(hold, task);
}

export function lost({ taskId, attempt }: Hold, task: TaskRow | undefined): GalleyError {
  const why = !task
    ? "does not exist"
    : task.status === "running"
      ? `is at attempt ${task.attempt}, held by ${JSON.stringify(task.worker)}`
      : `is ${task.status}`;
  return new GalleyError("TaskLost", `Attempt ${attempt} of the task ${JSON.stringify(taskId)} is over: it ${why}.`, {
    hint: "Stop working on it; nothing of this attempt was written.",
  });
}

/** Writes the row of a task whose tree is held, if it is still in the attempt and status that the caller has seen. */
export async function moveTask(tx: Transaction, task: TaskRow, change: Updateable<Tables["tasks"]>): Promise<TaskRow> {
  const moved = await tx.query
    .updateTable("tasks")
    .set(change)
    .where("project_id", "=", task.project_id)
    .where("task_id", "=", task.task_id)
    .where("attempt", "=", task.attempt)
    .where("status", "=", task.status)
    .returningAll()
    .executeTakeFirst();
  if (moved) return moved;
  const now = await findTask(tx, task.project_id, task.task_id);
  throw lost({ projectId: task.project_id, taskId: task.task_id, attempt: task.attempt }, now);
}
