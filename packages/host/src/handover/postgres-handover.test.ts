import pg from "pg";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/ports/ports.ts";
import { testDatabase } from "../../testing/test-database.ts";
import { authorityContract } from "./pack/authority.suite.ts";
import { callerContract } from "./plan/caller.suite.ts";
import { delegateContract } from "./plan/delegate.suite.ts";
import { forkContract } from "./plan/fork.suite.ts";
import { packContract } from "./pack/pack.suite.ts";
import { workerLifeContract } from "../turn/run/worker-life.suite.ts";
import { workerContract } from "../turn/run/worker.suite.ts";
import type { StoreUnderTest } from "./testing/world.ts";

function storeUnderTest(): StoreUnderTest {
  let url: string | undefined;
  return {
    name: "postgres",
    async open(): Promise<Store> {
      url ??= await testDatabase();
      return openStore({ postgres: url });
    },
    dump: () => dump(url ?? ""),
  };
}

/** Our tables, and what was put into the queue. */
async function dump(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public' OR tablename = 'job' ORDER BY 1",
    );
    const contents = [];
    for (const { name } of tables)
      contents.push([name, (await client.query(`SELECT * FROM ${name} AS t ORDER BY t::text`)).rows]);
    return JSON.stringify(contents);
  } finally {
    await client.end();
  }
}

packContract(storeUnderTest());
delegateContract(storeUnderTest());
authorityContract(storeUnderTest());
callerContract(storeUnderTest());
forkContract(storeUnderTest());
workerContract(storeUnderTest());
workerLifeContract(storeUnderTest());
