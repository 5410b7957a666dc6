import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { impossibleDelay } from "../database/clock-limits.ts";
import type { Database, Reader } from "../database/database.ts";
import { detectClockJump, systemClocks } from "../database/detect-clock-jump.ts";
import { dueTasks } from "../work/due-tasks.ts";
import { isAbandoned, isExpired } from "../work/held-work.ts";
import { endTask } from "./finish-task.ts";
import { lockTask } from "./task-transitions.ts";
import { isLate, retryTask, timeout } from "./task-attempts.ts";
import type { TaskRow, Tables } from "../database/tables.ts";
import { isOpen, openStatuses } from "./task-rows.ts";
import type { Swept, TaskStore } from "../ports/task-store.ts";

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
  const late = (row: TaskCondition) => row.and([row("deadline", "<=", now), row("status", "in", openStatuses)]);
  for (const found of await findTasks(database, late, "deadline")) {
    if (await endLate(database, found, now)) swept.timedOut.push(found.task_id);
  }
  const leaseTime = await database.read((reader) => reader.leaseTime(now));
  for (const found of await findTasks(database, isAbandoned(leaseTime), "lease_until")) {
    const status = await recoverOrphan(database, found, now);
    if (status === "queued") swept.recovered.push(found.task_id);
    if (status === "failed") swept.failed.push(found.task_id);
  }
  await resetImpossibleDelays(database, now);
  const forgotten = await database.read((reader) => dueTasks(reader, now - deliveryPatience, sweepLimit));
  if (forgotten.length > 0) await database.transaction((tx) => tx.deliver(forgotten));
  return swept;
}

type TaskCondition = ExpressionBuilder<Tables, "tasks">;

function findTasks(
  database: Database,
  condition: (row: TaskCondition) => Expression<SqlBool>,
  order: "deadline" | "lease_until",
): Promise<Found[]> {
  const found = ({ query }: Reader) => query.selectFrom("tasks").select(["project_id", "task_id"]).where(condition);
  return database.read((reader) => found(reader).orderBy(order).limit(sweepLimit).execute());
}

function endLate(database: Database, { project_id, task_id }: Found, now: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const task = await lockTask(tx, project_id, task_id);
    if (!task || !isOpen(task.status) || !isLate(task, now)) return false;
    await endTask(tx, task, timeout(task, now));
    return true;
  });
}

function recoverOrphan(database: Database, { project_id, task_id }: Found, now: number): Promise<string | undefined> {
  return database.transaction(async (tx) => {
    const task = await lockTask(tx, project_id, task_id);
    if (task?.status !== "running" || !isExpired(task, await tx.leaseTime(now))) return undefined;
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

/**
 * How long workers get to renew their leases, in ms. After the clock was set: three heart-beats of the usual leases. After
 * a look that comes late: timers went on meanwhile, and every heart-beat that is overdue comes at once. Such a look may
 * also be the first of a caller that begins to wait, and should not wait long for that.
 */
const settling = { set: 30_000, late: 5000 };

/** Callers look every second; the usual lease is longer than this. */
const maxGap = 20_000;

/**
 * The sweep for callers that look again and again. All of a process share it: one that begins to wait just after the clock
 * was set must not take tasks away either.
 */
export function sweepUnlessClockJumped(database: Database, clocks = systemClocks): TaskStore["tend"] {
  let leaseTime = clocks.wall();
  const detectJump = detectClockJump(maxGap, clocks);
  // The clock that leases go by may be another machine's.
  const detectLeaseJump = detectClockJump(maxGap, { wall: () => leaseTime, steady: clocks.steady });
  // Not by the time of day, which may be set back.
  let settled = -Infinity;
  return async (now) => {
    leaseTime = await database.read((reader) => reader.leaseTime(clocks.wall()));
    for (const jump of [detectJump(), detectLeaseJump()]) {
      if (jump) settled = Math.max(settled, clocks.steady() + settling[jump]);
    }
    if (clocks.steady() >= settled) await sweepTasks(database, now);
  };
}
