import { GalleyError } from "@galley/engine";
import { checkDistinct, checkIds, encodeSessionId } from "../database/ids.ts";
import { checkWaits, reusedAgents, waitsOf } from "./wait-cycles.ts";
import type { Transaction } from "../database/database.ts";
import { chunksOf, rowsById } from "../database/rows.ts";
import { letGo } from "../work/held-work.ts";
import { findBatch } from "./finish-task.ts";
import { readTasks } from "./read-tasks.ts";
import { appendOutput, heldTask, parkTask } from "./task-transitions.ts";
import type { AgentRow, TaskRow } from "../database/tables.ts";
import { fromBatchRow, fromTaskRow } from "./task-rows.ts";
import type { NewTask, StartTasks, StartedTasks } from "../ports/task-store.ts";
import { checkExist, checkPack, rowsAtOnce, writePack } from "../cards/write-pack.ts";

const defaultMaxFailures = 3;

/** Refuses a start that cannot be written, whatever the database holds. */
export function checkStart(start: StartTasks): void {
  const { agents, tasks, batch, parent, suspend } = start;
  checkPack(start);
  checkDistinct("agent", agents);
  checkDistinct("task", tasks);
  if (batch) checkIds("batch", [batch.id]);
  if (tasks.length === 0) throw new GalleyError("BadRequest", "There is no task to start.", { path: "tasks" });
  if (suspend && (!batch || !parent)) {
    throw new GalleyError("BadRequest", "Only a parent that has a batch to wait for can be suspended.", {
      path: "suspend",
      hint: "Give `parent` and `batch` too.",
    });
  }
}

/** Cards, boxes, agents, batch, tasks, the parent's suspension and the delivery, in the order in which they depend. */
export async function startTasks(tx: Transaction, start: StartTasks): Promise<StartedTasks> {
  const { projectId, parent, now } = start;
  const [first] = start.tasks;
  const present = first && (await findStarted(tx, start, first.id));
  if (present) return present;
  const parentRow = parent && (await heldTask(tx, parent));
  // The tree may have been waited for: by then another start of the same tasks can be through.
  const since = parentRow && first && (await findStarted(tx, start, first.id));
  if (since) return since;
  const reused = reusedAgents(start);
  if (parentRow && reused.length > 0) {
    await tx.hold(waitsOf(projectId));
    await checkWaits(tx, start, parentRow, reused);
  }
  await writePack(tx, start);
  await writeAgents(tx, start);
  const agents = await agentsOf(tx, start);
  const contexts = start.tasks.map((task) => task.contextBoxId);
  await checkExist(tx, "box", projectId, contexts);
  if (start.batch) await writeBatch(tx, start);
  const rows = await writeTasks(tx, start, agents, parentRow);
  await tx.deliver(rows.map((row) => ({ projectId, taskId: row.task_id, notBefore: now })));
  if (parentRow && start.suspend && start.batch) {
    await appendOutput(tx, parentRow, start.suspend);
    await parkTask(tx, parentRow, start.batch.id);
  }
  return { created: true, tasks: rows.map(fromTaskRow), batch: await batchOf(tx, start) };
}

async function findStarted(tx: Transaction, start: StartTasks, firstId: string): Promise<StartedTasks | undefined> {
  const ids = start.tasks.map((task) => task.id);
  const present = await readTasks(tx, start.projectId, ids);
  if (!present.some((task) => task?.id === firstId)) return undefined;
  const tasks = present.filter((task) => task !== undefined);
  if (tasks.length < start.tasks.length) {
    throw new GalleyError("DuplicateId", `The task ${JSON.stringify(firstId)} has been started with other tasks.`, {
      hint: "Give new tasks ids of their own; repeat a start only as it was.",
    });
  }
  return { created: false, tasks, batch: await batchOf(tx, start) };
}

async function writeAgents(tx: Transaction, { projectId, agents, now }: StartTasks): Promise<void> {
  const boxes = agents.flatMap((agent) => [agent.profileBoxId, agent.outputBoxId]);
  await checkExist(tx, "box", projectId, boxes);
  const rows = agents.map((agent) => ({
    project_id: projectId,
    agent_id: agent.id,
    profile_box_id: agent.profileBoxId,
    output_box_id: agent.outputBoxId,
    parent_agent_id: agent.parentAgentId ?? null,
    details: JSON.stringify(agent.details ?? {}),
    created_at: now,
  }));
  for (const some of chunksOf(rows, rowsAtOnce)) await tx.query.insertInto("agents").values(some).execute();
}

/** Held, so that the tasks of one agent are numbered in the order in which they become visible. */
async function agentsOf(tx: Transaction, { projectId, tasks }: StartTasks): Promise<Map<string, AgentRow>> {
  const ids = [...new Set(tasks.map((task) => task.agentId))];
  checkIds("agent", ids);
  await tx.hold(...ids.map((id) => `agent:${projectId}:${id}`));
  const rows = await rowsById(tx, "agents", projectId, ids).selectAll().execute();
  return new Map(rows.map((row) => [row.agent_id, row]));
}

async function writeBatch(tx: Transaction, { projectId, batch, tasks, parent, now }: StartTasks): Promise<void> {
  if (!batch) return;
  await tx.query
    .insertInto("batches")
    .values({
      project_id: projectId,
      batch_id: batch.id,
      parent_task_id: parent?.taskId ?? null,
      status: "open",
      size: tasks.length,
      open: tasks.length,
      succeeded: 0,
      timed_out: 0,
      fail_fast: batch.failFast ? 1 : 0,
      details: JSON.stringify(batch.details ?? {}),
      created_at: now,
      closed_at: null,
    })
    .execute();
}

async function writeTasks(
  tx: Transaction,
  start: StartTasks,
  agents: ReadonlyMap<string, AgentRow>,
  parent: TaskRow | undefined,
): Promise<TaskRow[]> {
  const rows = start.tasks.map((task, index) => {
    const agent = agents.get(task.agentId);
    if (!agent) throw noAgent(task.agentId, `tasks[${index}].agentId`);
    return newTaskRow(start, { task, index, agent, parent });
  });
  const byId = new Map<string, TaskRow>();
  for (const some of chunksOf(rows, rowsAtOnce)) {
    const written = await tx.query.insertInto("tasks").values(some).returningAll().execute();
    for (const row of written) byId.set(row.task_id, row);
  }
  return rows.flatMap((row) => byId.get(row.task_id) ?? []);
}

interface TaskToWrite {
  readonly task: NewTask;
  readonly index: number;
  readonly agent: AgentRow;
  readonly parent: TaskRow | undefined;
}

function newTaskRow(
  { projectId, batch, now }: StartTasks,
  { task, index, agent, parent }: TaskToWrite,
): Omit<TaskRow, "seq"> {
  return {
    project_id: projectId,
    task_id: task.id,
    agent_id: task.agentId,
    status: "queued",
    attempt: 0,
    failures: 0,
    max_failures: task.maxFailures ?? defaultMaxFailures,
    parent_task_id: parent?.task_id ?? null,
    root_task_id: parent?.root_task_id ?? task.id,
    depth: parent ? parent.depth + 1 : 0,
    batch_id: batch?.id ?? null,
    task_index: task.taskIndex ?? (batch ? index : 0),
    profile_box_id: agent.profile_box_id,
    context_box_id: task.contextBoxId,
    output_box_id: agent.output_box_id,
    output_start: null,
    output_end: null,
    waits_for: null,
    ...letGo,
    not_before: now,
    deadline: task.deadline ?? null,
    details: JSON.stringify(task.details ?? {}),
    result: null,
    error: null,
    created_at: now,
    started_at: null,
    finished_at: null,
    ...originColumns(task),
    returned_to: null,
    returned_at: null,
  };
}

function originColumns({ origin }: NewTask): Pick<TaskRow, "origin_place" | "origin"> {
  if (!origin) return { origin_place: null, origin: null };
  const { place, ...rest } = origin;
  return { origin_place: encodeSessionId(place), origin: JSON.stringify(rest) };
}

async function batchOf(tx: Transaction, { projectId, batch }: StartTasks): Promise<StartedTasks["batch"]> {
  if (!batch) return undefined;
  const row = await findBatch(tx, projectId, batch.id);
  return row && fromBatchRow(row);
}

function noAgent(id: string, path: string): GalleyError {
  return new GalleyError("NotFound", `There is no agent ${JSON.stringify(id)} in this project.`, { path });
}
