import { GalleyError } from "@galley/engine";
import { appendToBox } from "../cards/append-to-box.ts";
import { longestDelay, longestLease } from "../database/clock-limits.ts";
import type { Transaction } from "../database/database.ts";
import { type Ended, endTurn, findBatch } from "./end-turns.ts";
import { heldTurn, lockTurn, lost, moveTurn } from "./move-turn.ts";
import { outputItems } from "./output-items.ts";
import type { TurnRow } from "../database/tables.ts";
import { openStatuses } from "./turn-rows.ts";
import type { Claim, Hold, Outcome, Output, TurnError } from "../ports/turn-store.ts";

/** Takes a turn that is due. */
export async function claimTurn(tx: Transaction, claim: Claim): Promise<TurnRow | undefined> {
  const { projectId, turnId, worker, leaseMs, now } = claim;
  const turn = await lockTurn(tx, projectId, turnId);
  if (!turn || turn.status !== "queued" || turn.not_before > now || isLate(turn, now)) return undefined;
  const earlier = await tx.query
    .selectFrom("turns")
    .select("turn_id")
    .where("project_id", "=", projectId)
    .where("agent_id", "=", turn.agent_id)
    .where("seq", "<", turn.seq)
    .where("status", "in", openStatuses)
    .limit(1)
    .executeTakeFirst();
  if (earlier) return undefined;
  const box = await tx.query
    .selectFrom("boxes")
    .select("length")
    .where("project_id", "=", projectId)
    .where("box_id", "=", turn.output_box_id)
    .executeTakeFirstOrThrow();
  return moveTurn(tx, turn, {
    status: "running",
    attempt: turn.attempt + 1,
    worker,
    lease_until: now + Math.min(leaseMs, longestLease),
    output_start: turn.output_start ?? box.length,
    started_at: turn.started_at ?? now,
  });
}

export async function renewLease(
  tx: Transaction,
  { projectId, turnId, attempt }: Hold,
  { leaseMs, now }: { readonly leaseMs: number; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable("turns")
    .set({ lease_until: now + Math.min(leaseMs, longestLease) })
    .where("project_id", "=", projectId)
    .where("turn_id", "=", turnId)
    .where("attempt", "=", attempt)
    .where("status", "=", "running")
    .where((row) => row.or([row("deadline", "is", null), row("deadline", ">", now)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function recordOutput(tx: Transaction, hold: Hold, output: Output | undefined): Promise<TurnRow> {
  const turn = await heldTurn(tx, hold);
  await appendOutput(tx, turn, output);
  return turn;
}

async function appendOutput(tx: Transaction, turn: TurnRow, output: Output | undefined): Promise<void> {
  const { cards, items } = outputItems(output);
  if (items.length > 0) {
    await appendToBox(tx, { projectId: turn.project_id, boxId: turn.output_box_id, cards, items });
  }
}

export async function suspendTurn(
  tx: Transaction,
  hold: Hold,
  { batchId, output, now }: { readonly batchId: string; readonly output?: Output; readonly now: number },
): Promise<TurnRow> {
  const turn = await recordOutput(tx, hold, output);
  const batch = await tx.query
    .selectFrom("batches")
    .select(["status", "parent_turn_id"])
    .where("project_id", "=", hold.projectId)
    .where("batch_id", "=", batchId)
    .executeTakeFirst();
  // A batch of someone else closes under another tree's lock, so that its end could be missed.
  if (!batch || batch.parent_turn_id !== hold.turnId) {
    throw new GalleyError("NotFound", `The turn has started no batch ${JSON.stringify(batchId)}.`);
  }
  const change = { waits_for: batchId, lease_until: null, worker: null };
  if (batch.status === "open") return moveTurn(tx, turn, { ...change, status: "waiting" });
  await tx.deliver([{ projectId: hold.projectId, turnId: hold.turnId, notBefore: now }]);
  return moveTurn(tx, turn, { ...change, status: "queued", not_before: now });
}

/** Ends a turn with its result. Past its deadline it ends as timed out, whatever it brings. */
export async function finishTurn(tx: Transaction, hold: Hold, outcome: Outcome, now: number): Promise<Ended> {
  const before = await lockTurn(tx, hold.projectId, hold.turnId);
  if (before?.attempt === hold.attempt && before.status === outcome.status) {
    const batch = before.batch_id === null ? undefined : await findBatch(tx, hold.projectId, before.batch_id);
    return { turn: before, batch, queued: [], ended: [] };
  }
  if (before?.status !== "running" || before.attempt !== hold.attempt) throw lost(hold, before);
  if (isLate(before, now)) return endTurn(tx, before, timeout(before, now));
  await appendOutput(tx, before, outcome.output);
  return outcome.status === "succeeded"
    ? endTurn(tx, before, { status: "succeeded", result: outcome.result, now })
    : endTurn(tx, before, { status: "failed", error: outcome.error, now });
}

/** Gives a turn back after a failure, or ends it when that was one too many. */
export async function retryTurn(
  tx: Transaction,
  turn: TurnRow,
  { error, retryAt, now }: { readonly error: TurnError; readonly retryAt: number; readonly now: number },
): Promise<Ended> {
  if (isLate(turn, now)) return endTurn(tx, turn, timeout(turn, now));
  const failures = turn.failures + 1;
  const notBefore = Math.min(retryAt, now + longestDelay);
  if (failures >= turn.max_failures) {
    const failed = await moveTurn(tx, turn, { failures });
    return endTurn(tx, failed, { status: "failed", error, now });
  }
  const again = await moveTurn(tx, turn, {
    status: "queued",
    failures,
    not_before: notBefore,
    error: JSON.stringify(error),
    lease_until: null,
    worker: null,
  });
  await tx.deliver([{ projectId: turn.project_id, turnId: turn.turn_id, notBefore }]);
  return { turn: again, batch: undefined, queued: [turn.turn_id], ended: [] };
}

export async function releaseTurn(tx: Transaction, hold: Hold, now: number): Promise<void> {
  const turn = await heldTurn(tx, hold);
  await moveTurn(tx, turn, { status: "queued", not_before: now, lease_until: null, worker: null });
  await tx.deliver([{ projectId: hold.projectId, turnId: hold.turnId, notBefore: now }]);
}

export function isLate(turn: TurnRow, now: number): boolean {
  return turn.deadline !== null && turn.deadline <= now;
}

export function timeout(turn: TurnRow, now: number): { status: "timeout"; error: TurnError; now: number } {
  const message = `The deadline ${new Date(turn.deadline ?? now).toISOString()} has passed.`;
  return { status: "timeout", error: { code: "Timeout", message }, now };
}
