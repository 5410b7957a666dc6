import { sql } from "kysely";
import { isId } from "../database/check-ids.ts";
import type { Reader } from "../database/database.ts";
import type { TaskRow } from "../database/tables.ts";
import { fromAgentRow, fromBatchRow, fromTaskRow } from "./task-rows.ts";
import type { Agent, Batch, Task, TaskFilter } from "../ports/task-store.ts";

export async function readTasks(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<(Task | undefined)[]> {
  const rows = await reader.query
    .selectFrom("tasks")
    .selectAll()
    .where("project_id", "=", known(projectId))
    .where("task_id", "in", reader.listed(ids.filter(isId)))
    .execute();
  return inOrder(ids, rows.map(fromTaskRow));
}

export async function readBatches(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<(Batch | undefined)[]> {
  const rows = await reader.query
    .selectFrom("batches")
    .selectAll()
    .where("project_id", "=", known(projectId))
    .where("batch_id", "in", reader.listed(ids.filter(isId)))
    .execute();
  return inOrder(ids, rows.map(fromBatchRow));
}

export async function readAgents(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<(Agent | undefined)[]> {
  const rows = await reader.query
    .selectFrom("agents")
    .selectAll()
    .where("project_id", "=", known(projectId))
    .where("agent_id", "in", reader.listed(ids.filter(isId)))
    .execute();
  return inOrder(ids, rows.map(fromAgentRow));
}

/** Trees and batches in the order in which they were started; anything else newest first. */
export async function listTasks({ query }: Reader, projectId: string, filter: TaskFilter): Promise<Task[]> {
  let tasks = query.selectFrom("tasks").selectAll().where("project_id", "=", known(projectId));
  const same = {
    root_task_id: filter.rootTaskId,
    parent_task_id: filter.parentTaskId,
    batch_id: filter.batchId,
    agent_id: filter.agentId,
  };
  for (const [column, id] of Object.entries(same)) {
    if (id === null) tasks = tasks.where(column as keyof typeof same, "is", null);
    else if (id !== undefined) tasks = tasks.where(column as keyof typeof same, "=", known(id));
  }
  const { boxId, status, limit } = filter;
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

export async function countTree({ query }: Reader, projectId: string, rootTaskId: string): Promise<number> {
  const found = await query
    .selectFrom("tasks")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("project_id", "=", known(projectId))
    .where("root_task_id", "=", known(rootTaskId))
    .executeTakeFirst();
  return found?.count ?? 0;
}

/** What cannot be an id is the id of nothing; databases would refuse or bend it. */
function known(id: string): string {
  return isId(id) ? id : "";
}

function inOrder<Item extends { readonly id: string }>(
  ids: readonly string[],
  items: readonly Item[],
): (Item | undefined)[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.map((id) => byId.get(id));
}
