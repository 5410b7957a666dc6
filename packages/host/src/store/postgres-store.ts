import { bossQueue } from "./queue/boss-queue.ts";
import type { Store } from "./ports/ports.ts";
import { withLateWrites } from "./database/late-writes.ts";
import { type PostgresOptions, postgresDatabase } from "./database/postgres-database.ts";
import { createStores } from "./create-stores.ts";

/** The store of several machines: a PostgreSQL database, with pg-boss for delivery. */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const boss = bossQueue(options.url);
  const database = withLateWrites(await postgresDatabase(options, (query, due) => boss.deliver(query, due)));
  const stores = createStores(database);
  return {
    ...stores,
    kind: "postgres",
    queue: boss.queueFor(stores.tasks),
    async close() {
      await boss.close();
      await database.close();
    },
  };
}
