import { GalleyError } from "@galley/engine";
import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";
import type { TurnRow } from "../database/tables.ts";
import type { StartTurns } from "../ports/turn-store.ts";

/** Agents that are there already and get a turn of a batch that the parent waits for. */
export function reusedAgents({ agents, turns, batch, parent }: StartTurns): readonly string[] {
  if (!batch || !parent) return [];
  const made = new Set(agents.map((agent) => agent.id));
  return [...new Set(turns.map((turn) => turn.agentId))].filter((id) => !made.has(id));
}

/** Held while waits are looked at and added to: two starts that close a circle together would each see half of it. */
export function waitsOf(projectId: string): string {
  return `waits:${projectId}`;
}

/**
 * Refuses a batch whose parent would wait for itself: an agent that is used again comes to its new turn only after the
 * turns that it has, and one of those may wait, over others, for the parent. Nothing would move before a deadline.
 */
export async function checkWaits(
  tx: Transaction,
  { projectId, turns }: StartTurns,
  parent: TurnRow,
  reused: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ reused: string }>`
    with recursive needed (reused, turn_id, agent_id, seq) as (
      select agent_id, turn_id, agent_id, seq from turns
      where project_id = ${projectId} and agent_id in ${tx.listed(reused)} and status in ('queued', 'running', 'waiting')
      union
      select needed.reused, turns.turn_id, turns.agent_id, turns.seq from turns join needed
        on (turns.parent_turn_id = needed.turn_id and turns.batch_id is not null)
          or (turns.agent_id = needed.agent_id and turns.seq < needed.seq)
      where turns.project_id = ${projectId} and turns.status in ('queued', 'running', 'waiting')
    )
    select reused from needed where turn_id = ${parent.turn_id}`.execute(tx.query);
  const circle = new Set(rows.map((row) => row.reused));
  const index = turns.findIndex((turn) => circle.has(turn.agentId));
  if (index < 0) return;
  const agentId = JSON.stringify(turns[index]?.agentId);
  const message = `The agent ${agentId} is busy with a turn that waits for this one, so that each would wait for the other.`;
  throw new GalleyError("BadRequest", message, {
    path: `turns[${index}].agentId`,
    hint: "Start another agent for it, or do not wait for the result.",
  });
}
