import { impossibleDelay, impossibleLease } from "../database/clock-limits.ts";
import type { Database, Due, Reader } from "../database/database.ts";
import { endTurn } from "./end-turns.ts";
import { lockTurn } from "./move-turn.ts";
import { isLate, retryTurn, timeout } from "./run-turns.ts";
import type { TurnRow } from "../database/tables.ts";
import { isOpen, openStatuses } from "./turn-rows.ts";
import type { Swept } from "../ports/turn-store.ts";

/** One sweep takes at most this many of each kind; the next goes on. */
const sweepLimit = 200;
/** A turn that has been due this long without being claimed is delivered again, in case its delivery was lost. */
const deliveryPatience = 5000;

type Found = Pick<TurnRow, "project_id" | "turn_id">;

/**
 * Sets right what no worker will: turns of dead workers, passed deadlines, lost deliveries. Each turn has a transaction
 * of its own and is looked at again in it, so that any number of processes may sweep at once.
 */
export async function sweepTurns(database: Database, now: number): Promise<Swept> {
  const swept = { recovered: [] as string[], failed: [] as string[], timedOut: [] as string[] };
  for (const found of await database.read((reader) => findLate(reader, now))) {
    if (await endLate(database, found, now)) swept.timedOut.push(found.turn_id);
  }
  for (const found of await database.read((reader) => findOrphans(reader, now))) {
    const status = await recoverOrphan(database, found, now);
    if (status === "queued") swept.recovered.push(found.turn_id);
    if (status === "failed") swept.failed.push(found.turn_id);
  }
  await bringForward(database, now);
  const forgotten = await database.read((reader) => findForgotten(reader, now));
  if (forgotten.length > 0) await database.transaction((tx) => tx.deliver(forgotten));
  return swept;
}

function findLate({ query }: Reader, now: number): Promise<Found[]> {
  return query
    .selectFrom("turns")
    .select(["project_id", "turn_id"])
    .where("deadline", "<=", now)
    .where("status", "in", openStatuses)
    .orderBy("deadline")
    .limit(sweepLimit)
    .execute();
}

function endLate(database: Database, { project_id, turn_id }: Found, now: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const turn = await lockTurn(tx, project_id, turn_id);
    if (!turn || !isOpen(turn.status) || !isLate(turn, now)) return false;
    await endTurn(tx, turn, timeout(turn, now));
    return true;
  });
}

function findOrphans({ query }: Reader, now: number): Promise<Found[]> {
  return query
    .selectFrom("turns")
    .select(["project_id", "turn_id"])
    .where("status", "=", "running")
    .where((row) => row.or([row("lease_until", "<=", now), row("lease_until", ">", now + impossibleLease)]))
    .orderBy("lease_until")
    .limit(sweepLimit)
    .execute();
}

function recoverOrphan(database: Database, { project_id, turn_id }: Found, now: number): Promise<string | undefined> {
  return database.transaction(async (tx) => {
    const turn = await lockTurn(tx, project_id, turn_id);
    if (turn?.status !== "running" || turn.lease_until === null) return undefined;
    if (turn.lease_until > now && turn.lease_until <= now + impossibleLease) return undefined;
    const message = `The worker ${JSON.stringify(turn.worker)} stopped without a word.`;
    const { turn: after } = await retryTurn(tx, turn, { error: { code: "WorkerLost", message }, retryAt: now, now });
    return after.status;
  });
}

/** Turns that a clock which was wrong has put off: they are due now. */
async function bringForward(database: Database, now: number): Promise<void> {
  const limit = now + impossibleDelay;
  const isPutOff = await database.read(({ query }) =>
    query
      .selectFrom("turns")
      .select("turn_id")
      .where("status", "=", "queued")
      .where("not_before", ">", limit)
      .limit(1)
      .executeTakeFirst(),
  );
  if (!isPutOff) return;
  await database.transaction(async (tx) => {
    const moved = await tx.query
      .updateTable("turns")
      .set({ not_before: now })
      .where("status", "=", "queued")
      .where("not_before", ">", limit)
      .returning(["project_id as projectId", "turn_id as turnId", "not_before as notBefore"])
      .execute();
    await tx.deliver(moved);
  });
}

/** Not those behind an earlier turn of their agent: whoever ends that delivers them, and until then they are in the way. */
function findForgotten({ query }: Reader, now: number): Promise<Due[]> {
  return query
    .selectFrom("turns")
    .select(["project_id as projectId", "turn_id as turnId", "not_before as notBefore"])
    .where("status", "=", "queued")
    .where("not_before", "<=", now - deliveryPatience)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom("turns as earlier")
            .select("earlier.turn_id")
            .whereRef("earlier.project_id", "=", "turns.project_id")
            .whereRef("earlier.agent_id", "=", "turns.agent_id")
            .whereRef("earlier.seq", "<", "turns.seq")
            .where("earlier.status", "in", openStatuses),
        ),
      ),
    )
    .orderBy("not_before")
    .limit(sweepLimit)
    .execute();
}
