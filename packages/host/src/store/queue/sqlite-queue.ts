import { consumeDeliveries, deliveryKey } from "./consume-deliveries.ts";
import type { SqliteDatabase } from "../database/sqlite-database.ts";
import { dueTasks } from "../work/due-tasks.ts";
import type { TaskQueue } from "../ports/task-queue.ts";
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
            const due = await database.read((reader) => dueTasks(reader, Date.now(), free + busy.size));
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
