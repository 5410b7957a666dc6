import { once } from "node:events";
import { createServer } from "node:http";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/**
 * One PostgreSQL for all suites of a run, started when the first of them asks for a database: a run that needs none
 * does not wait for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const desk = createServer((_, response) => {
    server ??= startPostgres();
    server
      .then((postgres) => postgres.createDatabase())
      .then((url) => response.end(url))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, "127.0.0.1");
  await once(desk, "listening");
  const address = desk.address();
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  project.provide("postgresDesk", `http://127.0.0.1:${address.port}`);
  return async () => {
    desk.close();
    await (await server)?.stop();
  };
}

declare module "vitest" {
  interface ProvidedContext {
    postgresDesk: string;
  }
}
