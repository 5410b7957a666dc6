import { type SqlBool, sql } from "kysely";
import { isId } from "../database/check-ids.ts";
import type { Reader } from "../database/database.ts";
import { type Key, rowsOf } from "../database/rows.ts";
import type { Rows, TaskRow } from "../database/tables.ts";
import { fromAgentRow, fromBatchRow, fromTaskRow } from "./task-rows.ts";
import type { Task, TaskFilter } from "../ports/task-store.ts";

export const readTasks = reading("tasks", "task_id", fromTaskRow);
export const readBatches = reading("batches", "batch_id", fromBatchRow);
export const readAgents = reading("agents", "agent_id", fromAgentRow);

/** Gives a function that reads what has these ids, in their order, with nothing for those that do not exist. */
function reading<Name extends "tasks" | "batches" | "agents", Item extends { readonly id: string }>(
  table: Name,
  column: keyof Rows[Name],
  fromRow: (row: Rows[Name]) => Item,
) {
  return async (reader: Reader, projectId: string, ids: readonly string[]): Promise<(Item | undefined)[]> => {
    const own = rowsOf(reader, table, { project_id: known(projectId) } as Key<Name>);
    const listed = reader.listed(ids.filter(isId));
    const rows = await own
      .selectAll()
      .where(sql<SqlBool>`${sql.ref(String(column))} in ${listed}`)
      .execute();
    const byId = new Map((rows as unknown as Rows[Name][]).map(fromRow).map((item) => [item.id, item]));
    return ids.map((id) => byId.get(id));
  };
}

/** Trees and batches in the order in which they were started; anything else newest first. */
export async function listTasks(reader: Reader, projectId: string, filter: TaskFilter): Promise<Task[]> {
  const { boxId, status, limit } = filter;
  let tasks = rowsOf(reader, "tasks", {
    project_id: known(projectId),
    root_task_id: wanted(filter.rootTaskId),
    parent_task_id: filter.parentTaskId === null ? null : wanted(filter.parentTaskId),
    batch_id: wanted(filter.batchId),
    agent_id: wanted(filter.agentId),
  }).selectAll();
  if (boxId !== undefined) {
    const box = known(boxId);
    tasks = tasks.where((row) => row.or([row("context_box_id", "=", box), row("output_box_id", "=", box)]));
  }
  if (status !== undefined) tasks = tasks.where("status", "in", status.length > 0 ? status : [sql<never>`null`]);
  const isGroup = filter.rootTaskId ?? filter.parentTaskId ?? filter.batchId;
  tasks = isGroup === undefined ? tasks.orderBy("seq", "desc") : tasks.orderBy("seq");
  if (limit !== undefined) tasks = tasks.limit(limit);
  return (await tasks.execute()).map(fromTaskRow);
}

export async function readLineage({ query }: Reader, projectId: string, taskId: string): Promise<Task[]> {
  const project = known(projectId);
  const { rows } = await sql<TaskRow>`
    with recursive above (task_id, parent_task_id) as (
      select task_id, parent_task_id from tasks where project_id = ${project} and task_id = ${known(taskId)}
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
  const key = { project_id: known(projectId), root_task_id: known(rootTaskId) };
  const found = await rowsOf(reader, "tasks", key)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return found?.count ?? 0;
}

/** What cannot be an id is the id of nothing; databases would refuse or bend it. */
function known(id: string): string {
  return isId(id) ? id : "";
}

function wanted(id: string | null | undefined): string | undefined {
  return id === null || id === undefined ? undefined : known(id);
}
