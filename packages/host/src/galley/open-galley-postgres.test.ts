import { expect, test } from "vitest";
import { testDatabase } from "../../testing/test-database.ts";
import { addProfile, dataFolder, eventsOf, galleyIn, textsOf } from "./testing/temp-galley.ts";

test("[H7] with PostgreSQL a chat runs, forks and is resumed as with the embedded store", async () => {
  const [data, postgres] = [dataFolder(), await testDatabase()];
  const galley = await galleyIn(data, { postgres });
  await addProfile(galley, "writer", "You write.");
  const run = galley.run({ chat: "a", input: "fork: writer: one | writer: two" });
  const result = (await eventsOf(run)).find((event) => event.type === "tool:result");
  expect(result).toMatchObject({ isError: false, output: { status: "success" } });
  await galley.run({ session: "s", input: "hello" }).result;
  const slow = galley.run({ chat: "b", input: "say 5000 words" });
  for await (const event of slow) if (event.type === "text") break;
  await galley.close();
  const again = await galleyIn(data, { postgres });
  const resumed = await again.resume();
  await Promise.all(resumed.map((one) => one.result));
  expect(await textsOf(again, "b", "transcript")).toHaveLength(2);
  expect(await again.store.builds.sessions("default")).toHaveLength(5);
});
