import { pathIn } from "../disk/data-paths.ts";
import { rememberFolder } from "../disk/opened-folders.ts";
import { makeFolder } from "../disk/private-folder.ts";
import type { Store } from "./ports/ports.ts";
import { withLateWrites } from "./database/late-writes.ts";
import { type SqliteDatabase, sqliteDatabase } from "./database/sqlite-database.ts";
import { consumeDeliveries, deliveryKey } from "./queue/consume-deliveries.ts";
import { dueTasks } from "./work/due-tasks.ts";
import type { TaskQueue } from "./ports/task-queue.ts";
import type { TaskStore } from "./ports/task-store.ts";
import { storeFile } from "../disk/store-files.ts";
import { createStores } from "./create-stores.ts";

/** The store of one machine: a file in the data folder, which any number of processes may use. */
export async function sqliteStore(data: string): Promise<Store> {
  makeFolder(pathIn(data));
  const file = storeFile(data);
  const folder = rememberFolder(pathIn(data));
  try {
    const database = await sqliteDatabase(file);
    folder.add(file);
    const late = withLateWrites(database);
    const stores = createStores(late);
    const close = async (): Promise<void> => {
      folder.forget();
      await late.close();
    };
    return { ...stores, kind: "sqlite", queue: sqliteQueue(database, stores.tasks), close };
  } catch (error) {
    folder.forget();
    throw error;
  }
}

/** Other processes cannot ring; a look at the index costs some microseconds. */
const pollMs = 50;

/** On one machine the tasks themselves are the queue: what is due is read from their index. */
function sqliteQueue(database: SqliteDatabase, tasks: Pick<TaskStore, "tend">): TaskQueue {
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
