import type { JsonValue } from "@galley/engine";
import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";
import { findTurn, moveTurn } from "./move-turn.ts";
import type { BatchRow, TurnRow } from "../database/tables.ts";
import { isOpen, openStatuses } from "./turn-rows.ts";
import type { BatchStatus, TurnError } from "../ports/turn-store.ts";

/** How a turn ends. */
export interface Ending {
  readonly status: "succeeded" | "failed" | "cancelled" | "timeout";
  readonly result?: JsonValue;
  readonly error?: TurnError;
  readonly now: number;
}

export interface Ended {
  readonly turn: TurnRow;
  readonly batch: BatchRow | undefined;
  /** Ids of turns that were put into the queue by it. */
  readonly queued: readonly string[];
  /** Ids of the turns that ended: this one, and those that were cancelled because of it. */
  readonly ended: readonly string[];
}

type Effects = Pick<Ended, "queued" | "ended">;

const noEffects: Effects = { queued: [], ended: [] };

function joined(...parts: readonly Effects[]): Effects {
  return { queued: parts.flatMap((part) => part.queued), ended: parts.flatMap((part) => part.ended) };
}

/**
 * Ends a turn whose tree is held: its result, the count of its batch, the parent that waits for that, and the agent's
 * next turn, all in one transaction.
 */
export async function endTurn(tx: Transaction, turn: TurnRow, ending: Ending): Promise<Ended> {
  await tx.hold(`agent:${turn.project_id}:${turn.agent_id}`);
  const ended = await moveTurn(tx, turn, {
    status: ending.status,
    result: ending.result === undefined ? null : JSON.stringify(ending.result),
    error: ending.error === undefined ? null : JSON.stringify(ending.error),
    output_end: await outputLength(tx, turn),
    lease_until: null,
    finished_at: ending.now,
  });
  const own = { queued: await deliverNext(tx, turn, ending.now), ended: [turn.turn_id] };
  // A turn that gives up waiting, or that is cancelled, needs no answer any more.
  const below =
    turn.status === "waiting" && turn.waits_for !== null
      ? await cancelBatch(tx, turn.project_id, turn.waits_for, ending.now)
      : noEffects;
  if (turn.batch_id === null) return { turn: ended, batch: undefined, ...joined(own, below) };
  const { batch, effects } = await countInBatch(tx, turn.project_id, turn.batch_id, ending);
  return { turn: ended, batch, ...joined(own, below, effects) };
}

async function countInBatch(
  tx: Transaction,
  projectId: string,
  batchId: string,
  { status, now }: Ending,
): Promise<{ batch: BatchRow; effects: Effects }> {
  const counted = await tx.query
    .updateTable("batches")
    .set((row) => ({
      open: row("open", "-", 1),
      succeeded: row("succeeded", "+", status === "succeeded" ? 1 : 0),
      timed_out: row("timed_out", "+", status === "timeout" ? 1 : 0),
    }))
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batchId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (counted.open > 0) {
    const stops = counted.fail_fast === 1 && (status === "failed" || status === "timeout");
    if (!stops) return { batch: counted, effects: noEffects };
    const effects = await cancelBatch(tx, projectId, batchId, now);
    return { batch: await findBatch(tx, projectId, batchId), effects };
  }
  const batch = await tx.query
    .updateTable("batches")
    .set({ status: batchStatus(counted), closed_at: now })
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batchId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { batch, effects: { queued: await wakeParent(tx, batch, now), ended: [] } };
}

function batchStatus({ size, succeeded, timed_out }: BatchRow): BatchStatus {
  if (succeeded === size) return "success";
  if (succeeded > 0) return "partial";
  return timed_out > 0 ? "timeout" : "failed";
}

async function wakeParent(tx: Transaction, batch: BatchRow, now: number): Promise<readonly string[]> {
  if (batch.parent_turn_id === null) return [];
  const parent = await findTurn(tx, batch.project_id, batch.parent_turn_id);
  if (parent?.status !== "waiting" || parent.waits_for !== batch.batch_id) return [];
  await moveTurn(tx, parent, { status: "queued", not_before: now });
  await tx.deliver([{ projectId: parent.project_id, turnId: parent.turn_id, notBefore: now }]);
  return [parent.turn_id];
}

/** Delivers the agent's oldest open turn, if it is one that waits in the queue. */
async function deliverNext(tx: Transaction, turn: TurnRow, now: number): Promise<readonly string[]> {
  const next = await tx.query
    .selectFrom("turns")
    .select(["turn_id", "status", "not_before"])
    .where("project_id", "=", turn.project_id)
    .where("agent_id", "=", turn.agent_id)
    .where("status", "in", openStatuses)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  if (next?.status !== "queued") return [];
  const notBefore = Math.max(now, next.not_before);
  await tx.deliver([{ projectId: turn.project_id, turnId: next.turn_id, notBefore }]);
  return [next.turn_id];
}

async function outputLength(tx: Transaction, turn: TurnRow): Promise<number> {
  const box = await tx.query
    .selectFrom("boxes")
    .select("length")
    .where("project_id", "=", turn.project_id)
    .where("box_id", "=", turn.output_box_id)
    .executeTakeFirst();
  return box?.length ?? 0;
}

/** Cancels what is still open in a batch, with everything below it. */
async function cancelBatch(tx: Transaction, projectId: string, batchId: string, now: number): Promise<Effects> {
  const rows = await tx.query
    .selectFrom("turns")
    .select("turn_id")
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batchId)
    .where("status", "in", openStatuses)
    .orderBy("task_index")
    .execute();
  const error = { code: "Cancelled", message: "The batch was given up." };
  const cancelled: Effects[] = [];
  for (const { turn_id } of rows) {
    cancelled.push(await cancelTree(tx, projectId, turn_id, { status: "cancelled", error, now }));
  }
  return joined(...cancelled);
}

/** Ends a turn and all open ones below it, from the top, so that nobody is woken only to be cancelled. */
export async function cancelTree(tx: Transaction, projectId: string, turnId: string, ending: Ending): Promise<Effects> {
  const { rows } = await sql<TurnRow>`
    with recursive below (turn_id) as (
      select turn_id from turns where project_id = ${projectId} and turn_id = ${turnId}
      union
      select turns.turn_id from turns join below on turns.parent_turn_id = below.turn_id
      where turns.project_id = ${projectId}
    )
    select turns.turn_id from turns join below on turns.turn_id = below.turn_id
    where turns.project_id = ${projectId} and status in ('queued', 'running', 'waiting')
    order by depth, seq`.execute(tx.query);
  const effects: Effects[] = [];
  for (const { turn_id } of rows) {
    // Ending one can have ended others: what it waited for.
    const turn = await findTurn(tx, projectId, turn_id);
    if (turn && isOpen(turn.status)) effects.push(await endTurn(tx, turn, ending));
  }
  return joined(...effects);
}

export async function findBatch(tx: Transaction, projectId: string, batchId: string): Promise<BatchRow> {
  return tx.query
    .selectFrom("batches")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("batch_id", "=", batchId)
    .executeTakeFirstOrThrow();
}
