import { inject } from "vitest";

/** An empty PostgreSQL database of one's own, on the server of this test run. */
export async function testDatabase(): Promise<string> {
  const response = await fetch(inject("postgresDesk"));
  const text = await response.text();
  if (!response.ok) throw new Error(`No PostgreSQL for the tests: ${text}`);
  return text;
}
