import { GalleyError } from "@galley/engine";
import type { Expression, ExpressionBuilder, SqlBool, Updateable } from "kysely";
import { impossibleLease } from "../database/clock-limits.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { fromRunRow, isSameRun, toRunRow } from "./run-rows.ts";
import { readSteps, writeSteps } from "./run-steps.ts";
import type { NewRun, RunHold, RunOutcome, RunProgress, StoredRun } from "../ports/run-store.ts";
import type { JsonValue } from "@galley/engine";
import type { RunRow, Tables } from "../database/tables.ts";

export function findRun({ query }: Reader, projectId: string, id: string): Promise<RunRow | undefined> {
  return query
    .selectFrom("runs")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("run_id", "=", id)
    .executeTakeFirst();
}

export async function wholeRun(reader: Reader, row: RunRow): Promise<StoredRun> {
  const item = fromRunRow(row);
  const context = row.context === null ? null : (JSON.parse(row.context) as JsonValue);
  return { ...item, context, steps: await readSteps(reader, item) };
}

export async function startRun(tx: Transaction, run: NewRun): Promise<{ run: StoredRun; started: boolean }> {
  const row = toRunRow(run);
  const made = await tx.query
    .insertInto("runs")
    .values(row)
    .onConflict((conflict) => conflict.columns(["project_id", "run_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  const present = made ?? (await findRun(tx, run.projectId, run.id));
  if (!present || !isSameRun(row, present)) {
    throw new GalleyError("DuplicateId", `There is another run with the id ${JSON.stringify(run.id)} already.`, {
      hint: "Give each request an id of its own; repeat one only as it was.",
    });
  }
  return { run: await wholeRun(tx, present), started: made !== undefined };
}

/** Writes the row of a run that is running in the attempt that the caller holds, or gives nothing. */
async function moveRun(
  { query }: Transaction,
  { projectId, id, attempt }: RunHold,
  change: Updateable<Tables["runs"]>,
): Promise<RunRow | undefined> {
  return query
    .updateTable("runs")
    .set(change)
    .where("project_id", "=", projectId)
    .where("run_id", "=", id)
    .where("attempt", "=", attempt)
    .where("status", "=", "running")
    .returningAll()
    .executeTakeFirst();
}

export async function saveRun(tx: Transaction, hold: RunHold, progress: RunProgress): Promise<void> {
  const { steps, calls, replyTs, context } = progress;
  const moved = await moveRun(tx, hold, {
    // Also when nothing else is to be written: it says whether the run is still held.
    attempt: hold.attempt,
    ...(calls === undefined ? {} : { calls: JSON.stringify(calls) }),
    ...(replyTs === undefined ? {} : { reply_ts: replyTs }),
    ...(context === undefined ? {} : { context: JSON.stringify(context) }),
  });
  if (!moved) throw lost(hold, await findRun(tx, hold.projectId, hold.id));
  if (steps) await writeSteps(tx, hold, steps);
}

export async function renewRun(tx: Transaction, hold: RunHold, leaseUntil: number): Promise<boolean> {
  return (await moveRun(tx, hold, { lease_until: leaseUntil })) !== undefined;
}

export async function releaseRun(tx: Transaction, hold: RunHold): Promise<void> {
  await moveRun(tx, hold, { lease_until: 0, worker: null });
}

export async function finishRun(tx: Transaction, hold: RunHold, outcome: RunOutcome, now: number): Promise<StoredRun> {
  const moved = await moveRun(tx, hold, { ...endingOf(outcome), finished_at: now, lease_until: null, worker: null });
  if (moved) return wholeRun(tx, moved);
  const row = await findRun(tx, hold.projectId, hold.id);
  if (row?.attempt !== hold.attempt || row.status !== outcome.status) throw lost(hold, row);
  return wholeRun(tx, row);
}

function endingOf(outcome: RunOutcome): Updateable<Tables["runs"]> {
  const { status } = outcome;
  if (status !== "finished") return { status, error: JSON.stringify(outcome.error) };
  return { status, reply: JSON.stringify(outcome.reply), result: JSON.stringify(outcome.result) };
}

export async function abortRun(
  tx: Transaction,
  { projectId, id, reason = "It was aborted.", now }: { projectId: string; id: string; reason?: string; now: number },
): Promise<boolean> {
  const row = await findRun(tx, projectId, id);
  if (row?.status !== "running") return false;
  const ending = endingOf({ status: "aborted", error: { code: "Aborted", message: reason } });
  const { numUpdatedRows } = await tx.query
    .updateTable("runs")
    .set({ ...ending, finished_at: now, lease_until: null, worker: null })
    .where("project_id", "=", projectId)
    .where("run_id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export interface ClaimRuns {
  readonly projectId: string;
  readonly worker: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  readonly isAlone: boolean;
  readonly except: readonly string[];
}

/** Runs that nobody works on. */
export function isAbandoned(reader: Reader, { projectId, worker, now, isAlone, except }: ClaimRuns) {
  return (row: ExpressionBuilder<Tables, "runs">): Expression<SqlBool> =>
    row.and([
      row("project_id", "=", projectId),
      row("status", "=", "running"),
      // One that the caller only follows is somebody else's, or nobody's.
      ...(except.length === 0
        ? []
        : [
            row.or([
              row("worker", "is", null),
              row("worker", "!=", worker),
              row("run_id", "not in", reader.listed(except)),
            ]),
          ]),
      ...(isAlone ? [] : [row.or([row("lease_until", "<=", now), row("lease_until", ">", now + impossibleLease)])]),
    ]);
}

/** Takes over runs whose lease has ended. Of two that find the same one, the second finds its lease renewed. */
export async function claimRuns(tx: Transaction, claim: ClaimRuns): Promise<readonly StoredRun[]> {
  const { worker, now, leaseMs, limit } = claim;
  const found = await tx.query
    .selectFrom("runs")
    .select(["run_id"])
    .where(isAbandoned(tx, claim))
    .orderBy("seq")
    .limit(limit)
    .execute();
  const claimed: StoredRun[] = [];
  for (const { run_id } of found) {
    const row = await tx.query
      .updateTable("runs")
      .set((run) => ({ attempt: run("attempt", "+", 1), worker, lease_until: now + leaseMs }))
      .where("run_id", "=", run_id)
      .where(isAbandoned(tx, claim))
      .returningAll()
      .executeTakeFirst();
    if (row) claimed.push(await wholeRun(tx, row));
  }
  return claimed;
}

function lost({ id, attempt }: RunHold, row: RunRow | undefined): GalleyError {
  const why = !row
    ? "does not exist"
    : row.status === "running"
      ? `is at attempt ${row.attempt}, held by ${JSON.stringify(row.worker)}`
      : `is ${row.status}`;
  return new GalleyError("TaskLost", `Attempt ${attempt} of the run ${JSON.stringify(id)} is over: it ${why}.`, {
    hint: "Stop working on it; nothing of this attempt was written.",
  });
}
