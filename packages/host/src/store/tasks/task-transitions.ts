import { appendToBox } from "../cards/append-to-box.ts";
import type { Transaction } from "../database/database.ts";
import type { Change } from "../database/rows.ts";
import type { TaskRow } from "../database/tables.ts";
import { type WorkHold, findWork, letGo, lost, moveWork } from "../work/held-work.ts";
import type { Hold, Output } from "../ports/task-store.ts";

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

/** Puts a task into the queue and delivers it; its worker, if it has one, lets go of it. */
export async function queueTask(
  tx: Transaction,
  task: TaskRow,
  notBefore: number,
  change: Change<"tasks"> = {},
): Promise<TaskRow> {
  const queued = await moveTask(tx, task, { ...letGo, ...change, status: "queued", not_before: notBefore });
  await tx.deliver([{ projectId: task.project_id, taskId: task.task_id, notBefore }]);
  return queued;
}

/** The task waits for a batch. */
export function parkTask(tx: Transaction, task: TaskRow, batchId: string): Promise<TaskRow> {
  return moveTask(tx, task, { ...letGo, status: "waiting", waits_for: batchId });
}

/** Appends to the output box of a task: the new cards in order, unless other items are given. */
export async function appendOutput(tx: Transaction, task: TaskRow, output: Output | undefined): Promise<void> {
  const cards = output?.cards ?? [];
  const items = output?.items ?? cards.map((card) => ({ cardId: card.id, origin: "output" as const }));
  if (items.length === 0) return;
  await appendToBox(tx, { projectId: task.project_id, boxId: task.output_box_id, cards, items });
}
