import { inject } from "vitest";

/** An empty PostgreSQL database of one's own, on the server of this test run. */
export async function testDatabase(): Promise<string> {
  // A connection that has been idle may be closed by the other side in the moment in which it is used again.
  const response = await fetch(inject("postgresDesk"), { headers: { connection: "close" } });
  const text = await response.text();
  if (!response.ok) throw new Error(`No PostgreSQL for the tests: ${text}`);
  return text;
}
