import { type Kysely, sql } from "kysely";
import { PgBoss, fromKysely } from "pg-boss";
import { type TakenDelivery, consumeDeliveries, deliveryKey } from "./consume-deliveries.ts";
import type { Due } from "../database/database.ts";
import { postgresListen } from "./postgres-listen.ts";
import type { Tables } from "../database/tables.ts";
import type { Delivery, TaskQueue } from "../ports/task-queue.ts";
import type { TaskStore } from "../ports/task-store.ts";

const queueName = "tasks";
const channel = "galley_tasks";
/** Only a backstop: a notification comes with every delivery. */
const pollMs = 1000;

export interface BossQueue {
  /** Puts tasks into the queue as a part of the transaction that `query` is in. */
  deliver(query: Kysely<Tables>, due: readonly Due[]): Promise<void>;
  queueFor(tasks: Pick<TaskStore, "tend">): TaskQueue;
  close(): Promise<void>;
}

/**
 * Delivery over pg-boss. What is in the queue is a hint: a job says that a task is due and nothing else. A task has at
 * most one job that waits (policy `short`), so that delivering again what may have been lost adds nothing. A job whose
 * worker died is not retried here: the sweep finds the task by its lease and delivers it again.
 */
export function bossQueue(url: string): BossQueue {
  const boss = new PgBoss({
    connectionString: url,
    schema: "galley_queue",
    application_name: "galley",
    max: 4,
    schedule: false,
  });
  const listeners = new Set<(error: unknown) => void>();
  // Without a listener an error event would end the process.
  boss.on("error", (error) => listeners.forEach((listener) => listener(error)));
  let started: Promise<void> | undefined;
  const start = (): Promise<void> => {
    started ??= startBoss(boss).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
  return {
    async deliver(query, due) {
      await start();
      await boss.insert(queueName, due.map(toJob), { db: fromKysely(query) });
      await sql`select pg_notify(${channel}, '')`.execute(query);
    },
    queueFor: (tasks) => ({
      async consume(handle, options = {}) {
        await start();
        const onError = (error: unknown): void => options.onError?.(error);
        listeners.add(onError);
        const consumer = consumeDeliveries(
          {
            take: (free) => takeJobs(boss, free),
            tend: (now) => tasks.tend(now),
            listen: (nudge) => postgresListen(url, channel, nudge, onError),
            pollMs,
          },
          handle,
          options,
        );
        return {
          async stop() {
            await consumer.stop();
            listeners.delete(onError);
          },
        };
      },
    }),
    async close() {
      if (started) await boss.stop({ graceful: false });
    },
  };
}

async function startBoss(boss: PgBoss): Promise<void> {
  await boss.start();
  await boss.createQueue(queueName, {
    policy: "short",
    retryLimit: 0,
    // The longest that pg-boss knows: how long a task may take is said by its deadline.
    expireInSeconds: 86_399,
    deleteAfterSeconds: 600,
  });
  await moveWaitingJobs(boss);
}

/** The queue of stores up to version 2, whose jobs named their task `turnId`. */
const formerQueue = "turns";

interface FormerJob {
  readonly data: { readonly projectId: string; readonly turnId: string };
  readonly not_before: string;
}

/** Takes over what waits in the former queue. What is inserted twice is there once, so that this can begin again at any point. */
async function moveWaitingJobs(boss: PgBoss): Promise<void> {
  if (!(await boss.getQueue(formerQueue))) return;
  const waiting: { rows: FormerJob[] } = await boss.getDb().executeSql(
    `SELECT data, extract(epoch FROM start_after) * 1000 AS not_before FROM galley_queue.job
     WHERE name = $1 AND state IN ('created', 'retry')`,
    [formerQueue],
  );
  const due = waiting.rows.map(({ data: { projectId, turnId: taskId }, not_before: at }) => ({
    projectId,
    taskId,
    notBefore: Number(at),
  }));
  if (due.length > 0) await boss.insert(queueName, due.map(toJob));
  await boss.deleteQueue(formerQueue);
}

function toJob(due: Due): { data: Delivery; singletonKey: string; startAfter: string } {
  const { projectId, taskId, notBefore } = due;
  return {
    data: { projectId, taskId },
    singletonKey: deliveryKey(due),
    // How long from now: the clock of the server may be another one.
    startAfter: `${Math.max(0, notBefore - Date.now())} milliseconds`,
  };
}

async function takeJobs(boss: PgBoss, free: number): Promise<readonly TakenDelivery[]> {
  const jobs = await boss.fetch<Delivery>(queueName, { batchSize: free });
  return jobs.map(({ id, data }) => ({ ...data, done: () => boss.complete(queueName, id) }));
}
