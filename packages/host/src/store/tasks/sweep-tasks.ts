import { impossibleDelay } from "../database/clock-limits.ts";
import type { Database, Reader } from "../database/database.ts";
import { dueTasks } from "../work/due-tasks.ts";
import { isAbandoned, isExpired } from "../work/held-work.ts";
import { endTask } from "./finish-task.ts";
import { lockTask } from "./task-transitions.ts";
import { isLate, retryTask, timeout } from "./task-attempts.ts";
import type { TaskRow } from "../database/tables.ts";
import { isOpen, openStatuses } from "./task-rows.ts";
import type { Swept } from "../ports/task-store.ts";

/** One sweep takes at most this many of each kind; the next goes on. */
const sweepLimit = 200;
/** A task that has been due this long without being claimed is delivered again, in case its delivery was lost. */
const deliveryPatience = 5000;

type Found = Pick<TaskRow, "project_id" | "task_id">;

/**
 * Sets right what no worker will: tasks of dead workers, passed deadlines, lost deliveries. Each task has a transaction
 * of its own and is looked at again in it, so that any number of processes may sweep at once.
 */
export async function sweepTasks(database: Database, now: number): Promise<Swept> {
  const swept = { recovered: [] as string[], failed: [] as string[], timedOut: [] as string[] };
  for (const found of await database.read((reader) => findLate(reader, now))) {
    if (await endLate(database, found, now)) swept.timedOut.push(found.task_id);
  }
  for (const found of await database.read((reader) => findOrphans(reader, now))) {
    const status = await recoverOrphan(database, found, now);
    if (status === "queued") swept.recovered.push(found.task_id);
    if (status === "failed") swept.failed.push(found.task_id);
  }
  await resetImpossibleDelays(database, now);
  const forgotten = await database.read((reader) => dueTasks(reader, now - deliveryPatience, sweepLimit));
  if (forgotten.length > 0) await database.transaction((tx) => tx.deliver(forgotten));
  return swept;
}

function findLate({ query }: Reader, now: number): Promise<Found[]> {
  return query
    .selectFrom("tasks")
    .select(["project_id", "task_id"])
    .where("deadline", "<=", now)
    .where("status", "in", openStatuses)
    .orderBy("deadline")
    .limit(sweepLimit)
    .execute();
}

function endLate(database: Database, { project_id, task_id }: Found, now: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const task = await lockTask(tx, project_id, task_id);
    if (!task || !isOpen(task.status) || !isLate(task, now)) return false;
    await endTask(tx, task, timeout(task, now));
    return true;
  });
}

function findOrphans({ query }: Reader, now: number): Promise<Found[]> {
  return query
    .selectFrom("tasks")
    .select(["project_id", "task_id"])
    .where(isAbandoned(now))
    .orderBy("lease_until")
    .limit(sweepLimit)
    .execute();
}

function recoverOrphan(database: Database, { project_id, task_id }: Found, now: number): Promise<string | undefined> {
  return database.transaction(async (tx) => {
    const task = await lockTask(tx, project_id, task_id);
    if (task?.status !== "running" || !isExpired(task, now)) return undefined;
    const message = `The worker ${JSON.stringify(task.worker)} stopped without a word.`;
    const { task: after } = await retryTask(tx, task, { error: { code: "WorkerLost", message }, retryAt: now, now });
    return after.status;
  });
}

/** Tasks that a clock which was wrong has put off: they are due now. */
async function resetImpossibleDelays(database: Database, now: number): Promise<void> {
  const limit = now + impossibleDelay;
  const isPutOff = await database.read(({ query }) =>
    query
      .selectFrom("tasks")
      .select("task_id")
      .where("status", "=", "queued")
      .where("not_before", ">", limit)
      .limit(1)
      .executeTakeFirst(),
  );
  if (!isPutOff) return;
  await database.transaction(async (tx) => {
    const moved = await tx.query
      .updateTable("tasks")
      .set({ not_before: now })
      .where("status", "=", "queued")
      .where("not_before", ">", limit)
      .returning(["project_id as projectId", "task_id as taskId", "not_before as notBefore"])
      .execute();
    await tx.deliver(moved);
  });
}
