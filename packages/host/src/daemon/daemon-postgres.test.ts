import { expect, test } from "vitest";
import { testDatabase } from "../../testing/test-database.ts";
import { testDaemon } from "./testing/temp-daemon.ts";

test("[H9] two daemons share a PostgreSQL: each has its chats, both see runs and sessions", async () => {
  const postgres = await testDatabase();
  const [first, second] = [await testDaemon({ galley: { postgres } }), await testDaemon({ galley: { postgres } })];
  expect((await first.call("info.get")).store).toBe("postgres");
  const events = await first.events("runs.start", { body: { chat: "demo", input: "hello", runId: "one" } });
  expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
  // The mark that a run has ended is written a moment after its end was told.
  const status = async () => (await second.call("runs.get", { params: { id: "one" } })).status;
  await expect.poll(status).toBe("finished");
  // Of a run of another process, its end is what is known.
  const told = await second.events("runs.events", { params: { id: "one" } });
  expect(told.map(({ data }) => data.type)).toEqual(["run:started", "run:finished"]);
  expect((await second.call("sessions.list")).sessions.map(({ id }) => id)).toEqual(["chat:demo"]);
  expect((await second.call("chats.list")).chats).toEqual([]);
  expect((await first.call("chats.list")).chats).toHaveLength(1);
});
