import { GalleyError } from "@galley/engine";
import { appendToBox } from "../cards/append-to-box.ts";
import { checkDistinct, checkIds } from "../database/check-ids.ts";
import { checkWaits, reusedAgents, waitsOf } from "./check-waits.ts";
import type { Transaction } from "../database/database.ts";
import { heldTurn, moveTurn } from "./move-turn.ts";
import { outputItems } from "./output-items.ts";
import type { AgentRow, TurnRow } from "../database/tables.ts";
import { fromBatchRow, fromTurnRow } from "./turn-rows.ts";
import type { NewTurn, StartTurns, StartedTurns } from "../ports/turn-store.ts";
import { checkBoxes, checkPack, chunksOf, rowsAtOnce, writePack } from "../cards/write-pack.ts";

const defaultMaxFailures = 3;

/** Refuses a start that cannot be written, whatever the database holds. */
export function checkStart(start: StartTurns): void {
  const { agents, turns, batch, parent, suspend } = start;
  checkPack(start);
  checkDistinct(
    "agent",
    agents.map((agent) => agent.id),
  );
  checkDistinct(
    "turn",
    turns.map((turn) => turn.id),
  );
  if (batch) checkIds("batch", [batch.id]);
  if (turns.length === 0) throw new GalleyError("BadRequest", "There is no turn to start.", { path: "turns" });
  if (suspend && (!batch || !parent)) {
    throw new GalleyError("BadRequest", "Only a parent that has a batch to wait for can be suspended.", {
      path: "suspend",
      hint: "Give `parent` and `batch` too.",
    });
  }
}

/** Cards, boxes, agents, batch, turns, the parent's suspension and the delivery, in the order in which they depend. */
export async function startTurns(tx: Transaction, start: StartTurns): Promise<StartedTurns> {
  const { projectId, parent, now } = start;
  const [first] = start.turns;
  const present = first && (await findStarted(tx, start, first.id));
  if (present) return present;
  const parentRow = parent && (await heldTurn(tx, parent));
  // The tree may have been waited for: by then another start of the same turns can be through.
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
  await checkBoxes(
    tx,
    projectId,
    start.turns.map((turn) => turn.contextBoxId),
  );
  if (start.batch) await writeBatch(tx, start);
  const rows = await writeTurns(tx, start, agents, parentRow);
  await tx.deliver(rows.map((row) => ({ projectId, turnId: row.turn_id, notBefore: now })));
  if (parentRow && start.suspend && start.batch) await suspendParent(tx, start, parentRow, start.batch.id);
  return { created: true, turns: rows.map(fromTurnRow), batch: await batchOf(tx, start) };
}

async function findStarted(tx: Transaction, start: StartTurns, firstId: string): Promise<StartedTurns | undefined> {
  const rows = await tx.query
    .selectFrom("turns")
    .selectAll()
    .where("project_id", "=", start.projectId)
    .where("turn_id", "in", tx.listed(start.turns.map((turn) => turn.id)))
    .execute();
  if (!rows.some((row) => row.turn_id === firstId)) return undefined;
  const byId = new Map(rows.map((row) => [row.turn_id, fromTurnRow(row)]));
  const turns = start.turns.flatMap((turn) => byId.get(turn.id) ?? []);
  if (turns.length < start.turns.length) {
    throw new GalleyError("DuplicateId", `The turn ${JSON.stringify(firstId)} has been started with other turns.`, {
      hint: "Give new turns ids of their own; repeat a start only as it was.",
    });
  }
  return { created: false, turns, batch: await batchOf(tx, start) };
}

async function writeAgents(tx: Transaction, { projectId, agents, now }: StartTurns): Promise<void> {
  await checkBoxes(
    tx,
    projectId,
    agents.flatMap((agent) => [agent.profileBoxId, agent.outputBoxId]),
  );
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

/** Held, so that the turns of one agent are numbered in the order in which they become visible. */
async function agentsOf(tx: Transaction, { projectId, turns }: StartTurns): Promise<Map<string, AgentRow>> {
  const ids = [...new Set(turns.map((turn) => turn.agentId))];
  checkIds("agent", ids);
  await tx.hold(...ids.map((id) => `agent:${projectId}:${id}`));
  const rows = await tx.query
    .selectFrom("agents")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("agent_id", "in", tx.listed(ids))
    .execute();
  return new Map(rows.map((row) => [row.agent_id, row]));
}

async function writeBatch(tx: Transaction, { projectId, batch, turns, parent, now }: StartTurns): Promise<void> {
  if (!batch) return;
  await tx.query
    .insertInto("batches")
    .values({
      project_id: projectId,
      batch_id: batch.id,
      parent_turn_id: parent?.turnId ?? null,
      status: "open",
      size: turns.length,
      open: turns.length,
      succeeded: 0,
      timed_out: 0,
      fail_fast: batch.failFast ? 1 : 0,
      details: JSON.stringify(batch.details ?? {}),
      created_at: now,
      closed_at: null,
    })
    .execute();
}

async function writeTurns(
  tx: Transaction,
  start: StartTurns,
  agents: ReadonlyMap<string, AgentRow>,
  parent: TurnRow | undefined,
): Promise<TurnRow[]> {
  const rows = start.turns.map((turn, index) => {
    const agent = agents.get(turn.agentId);
    if (!agent) throw noAgent(turn.agentId, `turns[${index}].agentId`);
    return newTurnRow(start, { turn, index, agent, parent });
  });
  const byId = new Map<string, TurnRow>();
  for (const some of chunksOf(rows, rowsAtOnce)) {
    const written = await tx.query.insertInto("turns").values(some).returningAll().execute();
    for (const row of written) byId.set(row.turn_id, row);
  }
  return rows.flatMap((row) => byId.get(row.turn_id) ?? []);
}

interface TurnToWrite {
  readonly turn: NewTurn;
  readonly index: number;
  readonly agent: AgentRow;
  readonly parent: TurnRow | undefined;
}

function newTurnRow(
  { projectId, batch, now }: StartTurns,
  { turn, index, agent, parent }: TurnToWrite,
): Omit<TurnRow, "seq"> {
  return {
    project_id: projectId,
    turn_id: turn.id,
    agent_id: turn.agentId,
    status: "queued",
    attempt: 0,
    failures: 0,
    max_failures: turn.maxFailures ?? defaultMaxFailures,
    parent_turn_id: parent?.turn_id ?? null,
    root_turn_id: parent?.root_turn_id ?? turn.id,
    depth: parent ? parent.depth + 1 : 0,
    batch_id: batch?.id ?? null,
    task_index: turn.taskIndex ?? (batch ? index : 0),
    profile_box_id: agent.profile_box_id,
    context_box_id: turn.contextBoxId,
    output_box_id: agent.output_box_id,
    output_start: null,
    output_end: null,
    waits_for: null,
    worker: null,
    lease_until: null,
    not_before: now,
    deadline: turn.deadline ?? null,
    details: JSON.stringify(turn.details ?? {}),
    result: null,
    error: null,
    created_at: now,
    started_at: null,
    finished_at: null,
  };
}

async function suspendParent(tx: Transaction, start: StartTurns, parent: TurnRow, batchId: string): Promise<void> {
  const { cards, items } = outputItems(start.suspend);
  await appendToBox(tx, { projectId: start.projectId, boxId: parent.output_box_id, cards, items });
  await moveTurn(tx, parent, { status: "waiting", waits_for: batchId, lease_until: null, worker: null });
}

async function batchOf(tx: Transaction, { projectId, batch }: StartTurns): Promise<StartedTurns["batch"]> {
  if (!batch) return undefined;
  const row = await tx.query
    .selectFrom("batches")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batch.id)
    .executeTakeFirst();
  return row && fromBatchRow(row);
}

function noAgent(id: string, path: string): GalleyError {
  return new GalleyError("NotFound", `There is no agent ${JSON.stringify(id)} in this project.`, { path });
}
