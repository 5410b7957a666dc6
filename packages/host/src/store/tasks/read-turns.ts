import { sql } from "kysely";
import { isId } from "../database/check-ids.ts";
import type { Reader } from "../database/database.ts";
import type { TurnRow } from "../database/tables.ts";
import { fromAgentRow, fromBatchRow, fromTurnRow } from "./turn-rows.ts";
import type { Agent, Batch, Turn, TurnFilter } from "../ports/turn-store.ts";

export async function readTurns(
  reader: Reader,
  projectId: string,
  ids: readonly string[],
): Promise<(Turn | undefined)[]> {
  const rows = await reader.query
    .selectFrom("turns")
    .selectAll()
    .where("project_id", "=", known(projectId))
    .where("turn_id", "in", reader.listed(ids.filter(isId)))
    .execute();
  return inOrder(ids, rows.map(fromTurnRow));
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
export async function listTurns({ query }: Reader, projectId: string, filter: TurnFilter): Promise<Turn[]> {
  let turns = query.selectFrom("turns").selectAll().where("project_id", "=", known(projectId));
  const same = {
    root_turn_id: filter.rootTurnId,
    parent_turn_id: filter.parentTurnId,
    batch_id: filter.batchId,
    agent_id: filter.agentId,
  };
  for (const [column, id] of Object.entries(same)) {
    if (id === null) turns = turns.where(column as keyof typeof same, "is", null);
    else if (id !== undefined) turns = turns.where(column as keyof typeof same, "=", known(id));
  }
  const { boxId, status, limit } = filter;
  if (boxId !== undefined) {
    const box = known(boxId);
    turns = turns.where((row) => row.or([row("context_box_id", "=", box), row("output_box_id", "=", box)]));
  }
  if (status !== undefined) turns = turns.where("status", "in", status.length > 0 ? status : [sql<never>`null`]);
  const isGroup = filter.rootTurnId ?? filter.parentTurnId ?? filter.batchId;
  turns = isGroup === undefined ? turns.orderBy("seq", "desc") : turns.orderBy("seq");
  if (limit !== undefined) turns = turns.limit(limit);
  return (await turns.execute()).map(fromTurnRow);
}

export async function readLineage({ query }: Reader, projectId: string, turnId: string): Promise<Turn[]> {
  const project = known(projectId);
  const { rows } = await sql<TurnRow>`
    with recursive above (turn_id, parent_turn_id) as (
      select turn_id, parent_turn_id from turns where project_id = ${project} and turn_id = ${known(turnId)}
      union
      select turns.turn_id, turns.parent_turn_id from turns join above on turns.turn_id = above.parent_turn_id
      where turns.project_id = ${project}
    )
    select turns.* from turns join above on turns.turn_id = above.turn_id
    where turns.project_id = ${project}
    order by depth desc`.execute(query);
  return rows.map(fromTurnRow);
}

export async function countTree({ query }: Reader, projectId: string, rootTurnId: string): Promise<number> {
  const found = await query
    .selectFrom("turns")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("project_id", "=", known(projectId))
    .where("root_turn_id", "=", known(rootTurnId))
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
