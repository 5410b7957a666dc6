import { type Change } from "../database/rows.ts";
import type { Transaction } from "../database/database.ts";
import type { TaskRow } from "../database/tables.ts";
import { type WorkHold, findWork, lost, moveWork } from "../work/held-work.ts";
import type { Hold } from "../ports/task-store.ts";

/** Holds the tree that a task belongs to and gives the task as it then stands. */
export async function lockTask(tx: Transaction, projectId: string, taskId: string): Promise<TaskRow | undefined> {
  const before = await findTask(tx, projectId, taskId);
  if (!before) return undefined;
  await tx.hold(`tree:${projectId}:${before.root_task_id}`);
  return findTask(tx, projectId, taskId);
}

export function findTask(tx: Transaction, projectId: string, taskId: string): Promise<TaskRow | undefined> {
  return findWork(tx, "tasks", { projectId, id: taskId });
}

/** Gives the task that a worker holds, or says that it has lost it. */
export async function heldTask(tx: Transaction, hold: Hold): Promise<TaskRow> {
  const task = await lockTask(tx, hold.projectId, hold.taskId);
  if (task?.status === "running" && task.attempt === hold.attempt) return task;
  throw lost("tasks", workHold(hold), task);
}

export function workHold({ projectId, taskId, attempt }: Hold): WorkHold {
  return { projectId, id: taskId, attempt };
}

/** Writes the row of a task whose tree is held, if it is still in the attempt and status that the caller has seen. */
export async function moveTask(tx: Transaction, task: TaskRow, change: Change<"tasks">): Promise<TaskRow> {
  const { project_id: projectId, task_id: id, attempt, status } = task;
  const hold = { projectId, id, attempt };
  const moved = await moveWork(tx, "tasks", hold, change, { status });
  if (moved) return moved;
  throw lost("tasks", hold, await findWork(tx, "tasks", hold));
}
