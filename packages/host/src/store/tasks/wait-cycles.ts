import { GalleyError } from "@galley/engine";
import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";
import type { TaskRow } from "../database/tables.ts";
import type { StartTasks } from "../ports/task-store.ts";

/** Agents that are there already and get a task of a batch that the parent waits for. */
export function reusedAgents({ agents, tasks, batch, parent }: StartTasks): readonly string[] {
  if (!batch || !parent) return [];
  const made = new Set(agents.map((agent) => agent.id));
  return [...new Set(tasks.map((task) => task.agentId))].filter((id) => !made.has(id));
}

/** Held while waits are looked at and added to: two starts that close a circle together would each see half of it. */
export function waitsOf(projectId: string): string {
  return `waits:${projectId}`;
}

/**
 * Refuses a batch whose parent would wait for itself: an agent that is used again comes to its new task only after the
 * tasks that it has, and one of those may wait, over others, for the parent. Nothing would move before a deadline.
 */
export async function checkWaits(
  tx: Transaction,
  { projectId, tasks }: StartTasks,
  parent: TaskRow,
  reused: readonly string[],
): Promise<void> {
  const first = sql`agent_id in ${tx.listed(reused)}`;
  const circle = await agentsThatNeed(tx, projectId, first, parent);
  const index = tasks.findIndex((task) => circle.has(task.agentId));
  if (index >= 0) throw circleError(tasks[index]?.agentId ?? "", `tasks[${index}].agentId`);
}

/** The same for a task that is to wait for another one, which was started without waiting for it. */
export async function checkWait(tx: Transaction, awaited: TaskRow, waiting: TaskRow): Promise<void> {
  const first = sql`task_id = ${awaited.task_id}`;
  const circle = await agentsThatNeed(tx, awaited.project_id, first, waiting);
  if (circle.size > 0) throw circleError(awaited.agent_id, "taskId");
}

/** The agents of these open tasks whose end needs, over any number of waits, the end of the task that is named. */
async function agentsThatNeed(
  tx: Transaction,
  projectId: string,
  first: ReturnType<typeof sql>,
  { task_id }: TaskRow,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ first: string }>`
    with recursive needed (first, task_id, agent_id, seq, waits_for) as (
      select agent_id, task_id, agent_id, seq, waits_for from tasks
      where project_id = ${projectId} and ${first} and status in ('queued', 'running', 'waiting')
      union
      select needed.first, tasks.task_id, tasks.agent_id, tasks.seq, tasks.waits_for from tasks join needed
        on tasks.batch_id = needed.waits_for or tasks.task_id = needed.waits_for
          or (tasks.agent_id = needed.agent_id and tasks.seq < needed.seq)
      where tasks.project_id = ${projectId} and tasks.status in ('queued', 'running', 'waiting')
    )
    select first from needed where task_id = ${task_id}`.execute(tx.query);
  return new Set(rows.map((row) => row.first));
}

function circleError(agentId: string, path: string): GalleyError {
  const message = `The agent ${JSON.stringify(agentId)} is busy with a task that waits for this one, so that each would wait for the other.`;
  const hint = "Start another agent for it, or do not wait for the result.";
  return new GalleyError("BadRequest", message, { path, hint });
}
