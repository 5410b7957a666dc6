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
  const { rows } = await sql<{ reused: string }>`
    with recursive needed (reused, task_id, agent_id, seq) as (
      select agent_id, task_id, agent_id, seq from tasks
      where project_id = ${projectId} and agent_id in ${tx.listed(reused)} and status in ('queued', 'running', 'waiting')
      union
      select needed.reused, tasks.task_id, tasks.agent_id, tasks.seq from tasks join needed
        on (tasks.parent_task_id = needed.task_id and tasks.batch_id is not null)
          or (tasks.agent_id = needed.agent_id and tasks.seq < needed.seq)
      where tasks.project_id = ${projectId} and tasks.status in ('queued', 'running', 'waiting')
    )
    select reused from needed where task_id = ${parent.task_id}`.execute(tx.query);
  const circle = new Set(rows.map((row) => row.reused));
  const index = tasks.findIndex((task) => circle.has(task.agentId));
  if (index < 0) return;
  const agentId = JSON.stringify(tasks[index]?.agentId);
  const message = `The agent ${agentId} is busy with a task that waits for this one, so that each would wait for the other.`;
  throw new GalleyError("BadRequest", message, {
    path: `tasks[${index}].agentId`,
    hint: "Start another agent for it, or do not wait for the result.",
  });
}
