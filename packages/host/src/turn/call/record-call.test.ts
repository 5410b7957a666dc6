import { expect, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { slowModel } from "../../models/testing/slow-model.ts";
import { dataFolder, galleyIn } from "../../galley/testing/temp-galley.ts";

async function say(galley: Galley, input: string): Promise<void> {
  await galley.run({ session: "tea", model: "demo", input }).result;
}

async function cachedPrefixes({ store, project }: Galley): Promise<readonly number[]> {
  const builds = await store.builds.list({ projectId: project, sessionId: "tea" });
  return builds.toSorted((a, b) => a.n - b.n).map(({ cachedPrefix }) => cachedPrefix);
}

test("[P2] a build says how much of it the build before has sent already, also after a restart", async () => {
  const inputs = ["Is there tea?", "And milk?", "Then two cups, please."];
  const steady = await galleyIn();
  for (const input of inputs) await say(steady, input);
  const data = dataFolder();
  for (const input of inputs) {
    const galley = await galleyIn(data);
    await say(galley, input);
    await galley.close();
  }
  const [first = -1, second = 0, third = 0, ...rest] = await cachedPrefixes(steady);
  expect([first, rest]).toEqual([0, []]);
  expect(second).toBeGreaterThan(0);
  expect(third).toBeGreaterThan(second);
  expect(await cachedPrefixes(await galleyIn(data))).toEqual([first, second, third]);
});

test("[M7] a run has its reply although what it read was purged meanwhile", async () => {
  const model = await slowModel();
  const galley = await galleyIn(dataFolder(), { config: model.config });
  const run = galley.run({ session: "tea", input: "Is there tea?" });
  await expect.poll(() => model.requests()).toBe(1);
  expect(await galley.store.builds.purge({ projectId: galley.project, sessionId: "tea" }, "everything")).toBe(1);
  model.release();
  expect(await run.result).toMatchObject({ text: "First and last." });
});
