import { sql } from "kysely";
import type { Reader } from "../database/database.ts";
import { encodeSessionId, searchedId } from "../database/ids.ts";
import { inOrder, rowsById, rowsOf, runAgain } from "../database/rows.ts";
import type { Rows, TaskRow } from "../database/tables.ts";
import { fromAgentRow, fromBatchRow, fromTaskRow } from "./task-rows.ts";
import type { Task, TaskFilter } from "../ports/task-store.ts";

export const readTasks = reading("tasks", fromTaskRow);
export const readBatches = reading("batches", fromBatchRow);
export const readAgents = reading("agents", fromAgentRow);

/** Gives a function that reads what has these ids, in their order. */
function reading<Name extends "tasks" | "batches" | "agents", Item extends { readonly id: string }>(
  table: Name,
  fromRow: (row: Rows[Name]) => Item,
) {
  return async (reader: Reader, projectId: string, ids: readonly string[]): Promise<(Item | undefined)[]> => {
    const rows = await rowsById(reader, table, projectId, ids).selectAll().execute();
    return inOrder(ids, (rows as unknown as Rows[Name][]).map(fromRow));
  };
}

/** Trees and batches in the order in which they were started; anything else newest first. */
export async function listTasks(reader: Reader, projectId: string, filter: TaskFilter): Promise<Task[]> {
  const { place, isWaitingToReturn, ...rest } = filter;
  const build = () => tasksLike(reader, projectId, filter);
  // Asked for by every call of a model.
  const isInbox = place !== undefined && isWaitingToReturn === true && Object.keys(rest).length === 0;
  if (!isInbox) return (await build().execute()).map(fromTaskRow);
  const values = [searchedId(projectId), encodeSessionId(place)];
  return (await runAgain(reader, "tasks that wait to return", values, build)).map(fromTaskRow);
}

function tasksLike(reader: Reader, projectId: string, filter: TaskFilter) {
  const { boxId, status, limit } = filter;
  let tasks = rowsOf(reader, "tasks", {
    project_id: searchedId(projectId),
    root_task_id: wanted(filter.rootTaskId),
    parent_task_id: filter.parentTaskId === null ? null : wanted(filter.parentTaskId),
    batch_id: wanted(filter.batchId),
    agent_id: wanted(filter.agentId),
  }).selectAll();
  if (boxId !== undefined) {
    const box = searchedId(boxId);
    tasks = tasks.where((row) => row.or([row("context_box_id", "=", box), row("output_box_id", "=", box)]));
  }
  if (filter.place !== undefined) tasks = tasks.where("origin_place", "=", encodeSessionId(filter.place));
  if (filter.isWaitingToReturn) tasks = tasks.where("finished_at", "is not", null).where("returned_at", "is", null);
  if (status !== undefined) tasks = tasks.where("status", "in", status.length > 0 ? status : [sql<never>`null`]);
  const isGroup = filter.rootTaskId ?? filter.parentTaskId ?? filter.batchId;
  tasks = isGroup === undefined ? tasks.orderBy("seq", "desc") : tasks.orderBy("seq");
  return limit === undefined ? tasks : tasks.limit(limit);
}

export async function readLineage({ query }: Reader, projectId: string, taskId: string): Promise<Task[]> {
  const project = searchedId(projectId);
  const { rows } = await sql<TaskRow>`
    with recursive above (task_id, parent_task_id) as (
      select task_id, parent_task_id from tasks where project_id = ${project} and task_id = ${searchedId(taskId)}
      union
      select tasks.task_id, tasks.parent_task_id from tasks join above on tasks.task_id = above.parent_task_id
      where tasks.project_id = ${project}
    )
    select tasks.* from tasks join above on tasks.task_id = above.task_id
    where tasks.project_id = ${project}
    order by depth desc`.execute(query);
  return rows.map(fromTaskRow);
}

export async function countTree(reader: Reader, projectId: string, rootTaskId: string): Promise<number> {
  const key = { project_id: searchedId(projectId), root_task_id: searchedId(rootTaskId) };
  const found = await rowsOf(reader, "tasks", key)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return found?.count ?? 0;
}

function wanted(id: string | null | undefined): string | undefined {
  return id === null || id === undefined ? undefined : searchedId(id);
}
