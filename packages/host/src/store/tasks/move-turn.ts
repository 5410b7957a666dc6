import { GalleyError } from "@galley/engine";
import type { Updateable } from "kysely";
import type { Transaction } from "../database/database.ts";
import type { Tables, TurnRow } from "../database/tables.ts";
import type { Hold } from "../ports/turn-store.ts";

/** Holds the tree that a turn belongs to and gives the turn as it then stands. */
export async function lockTurn(tx: Transaction, projectId: string, turnId: string): Promise<TurnRow | undefined> {
  const before = await findTurn(tx, projectId, turnId);
  if (!before) return undefined;
  await tx.hold(`tree:${projectId}:${before.root_turn_id}`);
  return findTurn(tx, projectId, turnId);
}

export function findTurn(tx: Transaction, projectId: string, turnId: string): Promise<TurnRow | undefined> {
  return tx.query
    .selectFrom("turns")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("turn_id", "=", turnId)
    .executeTakeFirst();
}

/** Gives the turn that a worker holds, or says that it has lost it. */
export async function heldTurn(tx: Transaction, hold: Hold): Promise<TurnRow> {
  const turn = await lockTurn(tx, hold.projectId, hold.turnId);
  if (turn?.status === "running" && turn.attempt === hold.attempt) return turn;
  throw lost(hold, turn);
}

export function lost({ turnId, attempt }: Hold, turn: TurnRow | undefined): GalleyError {
  const why = !turn
    ? "does not exist"
    : turn.status === "running"
      ? `is at attempt ${turn.attempt}, held by ${JSON.stringify(turn.worker)}`
      : `is ${turn.status}`;
  return new GalleyError("TurnLost", `Attempt ${attempt} of the turn ${JSON.stringify(turnId)} is over: it ${why}.`, {
    hint: "Stop working on it; nothing of this attempt was written.",
  });
}

/** Writes the row of a turn whose tree is held, if it is still in the attempt and status that the caller has seen. */
export async function moveTurn(tx: Transaction, turn: TurnRow, change: Updateable<Tables["turns"]>): Promise<TurnRow> {
  const moved = await tx.query
    .updateTable("turns")
    .set(change)
    .where("project_id", "=", turn.project_id)
    .where("turn_id", "=", turn.turn_id)
    .where("attempt", "=", turn.attempt)
    .where("status", "=", turn.status)
    .returningAll()
    .executeTakeFirst();
  if (moved) return moved;
  const now = await findTurn(tx, turn.project_id, turn.turn_id);
  throw lost({ projectId: turn.project_id, turnId: turn.turn_id, attempt: turn.attempt }, now);
}
