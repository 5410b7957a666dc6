import { sql } from "kysely";
import { consumeDeliveries, deliveryKey } from "./consume-deliveries.ts";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import type { Delivery, TaskQueue } from "../ports/task-queue.ts";
import type { TaskStore } from "../ports/task-store.ts";

/** Other processes cannot ring; a look at the index costs some microseconds. */
const pollMs = 50;

/** On one machine the tasks themselves are the queue: what is due is read from their index. */
export function sqliteQueue(database: SqliteDatabase, tasks: Pick<TaskStore, "tend">): TaskQueue {
  return {
    consume: async (handle, options) =>
      consumeDeliveries(
        {
          take: async (free, busy) => {
            const due = await dueTasks(database, Date.now(), free + busy.size);
            const fresh = due.filter((delivery) => !busy.has(deliveryKey(delivery)));
            return fresh.slice(0, free).map((delivery) => ({ ...delivery, done: () => Promise.resolve() }));
          },
          tend: (now) => tasks.tend(now),
          listen: (nudge) => database.onDelivery(nudge),
          pollMs,
        },
        handle,
        options,
      ),
  };
}

async function dueTasks(database: SqliteDatabase, now: number, limit: number): Promise<Delivery[]> {
  const { rows } = await database.read(({ query }) =>
    sql<Delivery>`
      select project_id as "projectId", task_id as "taskId" from tasks as due
      where status = 'queued' and not_before <= ${now} and (deadline is null or deadline > ${now})
        and not exists (
          select 1 from tasks as earlier
          where earlier.project_id = due.project_id and earlier.agent_id = due.agent_id and earlier.seq < due.seq
            and earlier.status in ('queued', 'running', 'waiting')
        )
      order by not_before, seq limit ${limit}`.execute(query),
  );
  return rows;
}
