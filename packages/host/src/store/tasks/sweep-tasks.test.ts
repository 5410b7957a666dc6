import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../open-store.ts";
import { sqliteDatabase } from "../database/sqlite-database.ts";
import { runningRoot, taskOf } from "../testing/store-samples.ts";
import { databaseFile } from "../../disk/store-files.ts";
import { sweepUnlessClockJumped } from "./sweep-tasks.ts";

/** A task that is held until 11000, and clocks that begin at 2000. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), "galley-tend-"));
  const store = await openStore({ data: folder });
  const database = await sqliteDatabase(join(folder, databaseFile));
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  let [wall, steady] = [2000, 0];
  const tend = sweepUnlessClockJumped(database, { wall: () => wall, steady: () => steady });
  const { id } = await runningRoot(store, "p");
  return {
    /** What has become of the task after a look, this many ms later. */
    statusAfter: async (ms: number, { isSet = false } = {}): Promise<string> => {
      wall += ms;
      if (!isSet) steady += ms;
      await tend(wall);
      return (await taskOf(store, "p", id)).status;
    },
  };
}

test("[H8] after the clock was set nobody's task is taken away until workers had the time to renew", async () => {
  const { statusAfter } = await stage();
  expect(await statusAfter(3_600_000, { isSet: true })).toBe("running");
  for (const ms of [1, 15_000, 14_998]) expect(await statusAfter(ms)).toBe("running");
  expect(await statusAfter(1)).toBe("queued");
});

test("[H8] a machine that slept while its steady clock went on takes no task away before heart-beats come", async () => {
  const { statusAfter } = await stage();
  expect(await statusAfter(3_600_000)).toBe("running");
  expect(await statusAfter(4999)).toBe("running");
  expect(await statusAfter(1)).toBe("queued");
});

test("[H8] without any of that a lease that has ended is ended", async () => {
  const { statusAfter } = await stage();
  expect(await statusAfter(8999)).toBe("running");
  expect(await statusAfter(1)).toBe("queued");
});
