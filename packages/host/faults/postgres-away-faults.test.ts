import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { daemonProcess, galleyProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { checkStore } from "../src/store/check-store.ts";
import { openStore } from "../src/store/open-store.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { cardOf, itemsOf } from "../src/store/testing/store-samples.ts";
import { claimFault, isThorough } from "./claim-fault.ts";

const rounds = isThorough ? 10 : 1;
const atOnce = 12;

async function testServer(): Promise<PostgresServer> {
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.stop());
  return server;
}

test(
  "[H8] PostgreSQL goes away and comes back under a daemon with runs",
  { timeout: 120_000 + rounds * 60_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "PostgreSQL",
      fault: `the server of a running daemon is killed, stays away for up to three seconds and comes back, in the middle of ${atOnce} runs`,
      holds: "the daemon stays, every run ends by itself, its messages are there once, and nothing is left running",
      rounds,
    });
    const server = await testServer();
    const url = await server.createDatabase();
    const daemon = await daemonProcess({ args: ["--postgres", url] });
    for (let round = 0; round < rounds; round += 1) {
      const names = Array.from({ length: atOnce }, (_, index) => `r${round}-${index}`);
      const running = names.map((name) =>
        daemon.events("runs.start", { body: { chat: name, input: `say 60 words ${name}`, runId: name } }),
      );
      await sleep(Math.random() * 800);
      await server.goAway(round % 2 === 0 ? "SIGQUIT" : "SIGINT");
      await sleep(Math.random() * 3000);
      await server.comeBack();
      for (const events of await Promise.all(running))
        expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
      for (const key of names) {
        const { messages } = await daemon.call("chats.transcript", { params: { key } });
        expect([key, messages.map(({ role }) => role)]).toEqual([key, ["user", "assistant"]]);
      }
      expect((await daemon.call("runs.list", { query: { status: "running" } })).runs).toEqual([]);
    }
    expect((await daemon.call("info.get")).pid).toBe(daemon.child.pid);
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(await checkStore({ postgres: url })).toEqual([]);
  },
);

test("[H8] PostgreSQL stays away longer than anybody waits", { timeout: 120_000 }, async ({ task }) => {
  claimFault(task, {
    area: "PostgreSQL",
    fault: "the server stays away longer than the store waits, while cards and sessions are written",
    holds:
      "StoreUnavailable with a hint, marked as worth trying again; nothing acknowledged is lost; the same store works when the server is back; a daemon that starts meanwhile says so and ends",
    rounds: 1,
  });
  const server = await testServer();
  const url = await server.createDatabase();
  const store = await openStore({ postgres: url, patience: 500 });
  onTestFinished(() => store.close());
  const write = async (id: string): Promise<void> => {
    const boxes = [{ id, items: itemsOf(`${id}.card`) }];
    await store.cards.pack({ projectId: "p", cards: [cardOf(`${id}.card`)], boxes, now: 1 });
    await store.sessions.append({ projectId: "p", sessionId: "s" }, [{ id, ts: 1, type: "custom" }]);
  };
  await write("before");
  const unavailable = { code: "StoreUnavailable", retryable: true, hint: expect.any(String) as string };
  await server.goAway();
  await expect(write("meanwhile")).rejects.toMatchObject(unavailable);
  await expect(store.sessions.read({ projectId: "p", sessionId: "s" })).rejects.toMatchObject(unavailable);
  const up = galleyProcess(["up", "--json", "--port", "0", "--data", join(testFolder(), "data"), "--postgres", url]);
  expect(await up.exited).toBe(1);
  expect(JSON.parse(up.printed())).toMatchObject({
    error: { code: "StoreUnavailable", hint: expect.any(String) as string },
  });
  await server.comeBack();
  await write("after");
  const entries = await store.sessions.read({ projectId: "p", sessionId: "s" });
  expect(entries.map(({ id }) => id)).toEqual(["before", "after"]);
  for (const id of ["before", "after"]) expect((await store.cards.openBox("p", id))?.cards).toHaveLength(1);
});
