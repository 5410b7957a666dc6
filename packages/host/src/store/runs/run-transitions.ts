import { GalleyError, type JsonValue, type ModelMessage, digestItem } from "@galley/engine";
import type { Reader, Transaction } from "../database/database.ts";
import { searchedId } from "../database/ids.ts";
import { type WorkId, findWork, isAbandoned, leaseEnd, letGo, lost, moveWork, taken } from "../work/held-work.ts";
import { fromRunRow, isSameRun, toRunRow } from "./run-rows.ts";
import type { NewRun, RunHold, RunOutcome, RunProgress, RunStore, StoredRun } from "../ports/run-store.ts";
import { messageBody } from "../database/message-body.ts";
import { type Change, deleteOf, insertNew, rowsOf, runAgain, updateRow, upsertRow } from "../database/rows.ts";
import type { RunRow } from "../database/tables.ts";

const claimedAtOnce = 10;

export async function wholeRun(reader: Reader, row: RunRow, steps?: readonly ModelMessage[]): Promise<StoredRun> {
  const item = fromRunRow(row);
  const context = row.context === null ? null : (JSON.parse(row.context) as JsonValue);
  return { ...item, context, steps: steps ?? (await readSteps(reader, item)) };
}

export async function startRun(tx: Transaction, run: NewRun): Promise<{ run: StoredRun; started: boolean }> {
  const row = toRunRow(run, await leaseEnd(tx, run));
  const made = await insertNew(tx, "runs", ["project_id", "run_id"], row);
  const present = made ?? (await findWork(tx, "runs", run));
  if (!present || !isSameRun(row, present)) {
    throw new GalleyError("DuplicateId", `There is another run with the id ${JSON.stringify(run.id)} already.`, {
      hint: "Give each request an id of its own; repeat one only as it was.",
    });
  }
  // One that is made now has no steps yet.
  return { run: await wholeRun(tx, present, made && []), started: made !== undefined };
}

export async function saveRun(tx: Transaction, hold: RunHold, progress: RunProgress): Promise<void> {
  const { steps, calls, replyTs, context } = progress;
  const moved = await moveWork(tx, "runs", hold, {
    // Also when nothing else is to be written: it says whether the run is still held.
    attempt: hold.attempt,
    calls: calls && JSON.stringify(calls),
    reply_ts: replyTs,
    context: context === undefined ? undefined : JSON.stringify(context),
  });
  if (!moved) throw lost("runs", hold, await findWork(tx, "runs", hold));
  if (steps) await writeSteps(tx, hold, steps);
}

export async function finishRun(tx: Transaction, hold: RunHold, outcome: RunOutcome, now: number): Promise<void> {
  if (await moveWork(tx, "runs", hold, endingOf(outcome, now))) return;
  const row = await findWork(tx, "runs", hold);
  if (row?.attempt !== hold.attempt || row.status !== outcome.status) throw lost("runs", hold, row);
}

function endingOf(outcome: RunOutcome, now: number): Change<"runs"> {
  const { status } = outcome;
  const ended = { ...letGo, status, finished_at: now };
  if (status !== "finished") return { ...ended, error: JSON.stringify(outcome.error) };
  return { ...ended, reply: JSON.stringify(outcome.reply), result: JSON.stringify(outcome.result) };
}

export async function abortRun(
  tx: Transaction,
  { reason = "It was aborted.", now, ...run }: Parameters<RunStore["abort"]>[0],
): Promise<boolean> {
  const error = { code: "Aborted", message: reason };
  // In any attempt: the run may be taken over while it is aborted.
  const key = { project_id: searchedId(run.projectId), run_id: searchedId(run.id), status: "running" } as const;
  return (await updateRow(tx, "runs", key, endingOf({ status: "aborted", error }, now))) !== undefined;
}

type ClaimRuns = Parameters<RunStore["claimAbandoned"]>[2] & { readonly projectId: string; readonly worker: string };

/** Runs whose worker has fallen silent, or has handed them back. */
async function claimable(reader: Reader, { projectId, worker, now, isAlone = false, except = [] }: ClaimRuns) {
  const runs = rowsOf(reader, "runs", { project_id: projectId, status: "running" }).orderBy("seq");
  const abandoned = isAlone ? runs : runs.where(isAbandoned(await reader.leaseTime(now)));
  // In an object: a query that is awaited is run.
  if (except.length === 0) return { runs: abandoned };
  // One that the caller only follows belongs to another worker, or to none.
  const others = abandoned.where((row) =>
    row.or([row("worker", "is", null), row("worker", "!=", worker), row("run_id", "not in", reader.listed(except))]),
  );
  return { runs: others };
}

export async function hasClaimable(reader: Reader, claim: ClaimRuns): Promise<boolean> {
  const { runs } = await claimable(reader, claim);
  return (await runs.select("seq").limit(1).executeTakeFirst()) !== undefined;
}

/** Takes over runs whose lease has ended. Of two that find the same one, the second finds another lease than it has seen. */
export async function claimRuns(tx: Transaction, claim: ClaimRuns): Promise<readonly StoredRun[]> {
  const { runs } = await claimable(tx, claim);
  const found = await runs
    .select(["run_id", "attempt", "lease_until"])
    .limit(claim.limit ?? claimedAtOnce)
    .execute();
  const claimed: StoredRun[] = [];
  for (const { run_id: id, attempt, lease_until } of found) {
    const hold = { projectId: claim.projectId, id, attempt };
    const moved = await moveWork(tx, "runs", hold, await taken(tx, { attempt }, claim), {
      status: "running",
      lease_until,
    });
    if (moved) claimed.push(await wholeRun(tx, moved));
  }
  return claimed;
}

/** Writes the steps that are not there yet or have changed, and drops those beyond the end. */
async function writeSteps(tx: Transaction, run: WorkId, steps: readonly ModelMessage[]): Promise<void> {
  const present = await rowsOf(tx, "run_steps", stepsKey(run)).select(["position", "hash"]).execute();
  const hashes = new Map(present.map((row) => [row.position, row.hash]));
  for (const [position, step] of steps.entries()) {
    const hash = digestItem(step);
    if (hashes.get(position) === hash) continue;
    await upsertRow(tx, "run_steps", { ...stepsKey(run), position }, { hash, body: messageBody(step) });
  }
  if (present.length <= steps.length) return;
  await deleteOf(tx, "run_steps", stepsKey(run)).where("position", ">=", steps.length).execute();
}

async function readSteps(reader: Reader, run: WorkId): Promise<readonly ModelMessage[]> {
  const rows = await runAgain(reader, "steps of a run", [run.projectId, run.id], () =>
    rowsOf(reader, "run_steps", stepsKey(run)).select("body").orderBy("position"),
  );
  return rows.map((row) => JSON.parse(row.body) as ModelMessage);
}

function stepsKey({ projectId, id }: WorkId) {
  return { project_id: projectId, run_id: id };
}
