import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { dataFolder, galleyIn } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";

afterEach(() => vi.restoreAllMocks());

const counter: Tool = defineTool({
  name: "count",
  description: "Counts.",
  inputSchema: { type: "object" },
  execute: () => ({ counted: true }),
});

/** How often SQLite commits until the end of a run is told. On a busy machine what waits for a commit may get one of its own. */
async function commitsOf(galley: Galley, input: string): Promise<number> {
  // Also the mark that the run before has ended.
  await galley.store.runs.list("default", { limit: 1 });
  const said = vi.spyOn(DatabaseSync.prototype, "exec");
  for await (const { type } of galley.run({ chat: "a", input })) if (type === "run:finished") break;
  const commits = said.mock.calls.filter(([sql]) => sql === "COMMIT").length;
  said.mockRestore();
  return commits;
}

test("[W11] a run commits before its first call and at its end; a step with calls, before it is served and before the next call", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data, { tools: [counter] });
  await galley.run({ chat: "a", input: "hello", runId: "first" }).result;
  // A caller of this process is told of the end at once; the mark itself waits for the next write.
  expect(await galley.store.runs.get("default", "first")).toMatchObject({ status: "finished", calls: [1] });
  await expect.poll(() => commitsOf(galley, "hello")).toBe(2);
  await expect.poll(() => commitsOf(galley, "call count {}")).toBe(4);
  const [build] = await galley.store.builds.list({ projectId: "default", sessionId: "chat:a" }, { last: 1 });
  expect(build?.usage?.inputTokens).toBeGreaterThan(0);
  // Without a next write, it comes by itself: another process sees it.
  const other = await galleyIn(data);
  await expect.poll(() => other.store.runs.list("default", { status: "running" })).toEqual([]);
});

test("[W11] of two processes that are asked for one run at once, one begins it and both tell of its end", async () => {
  const data = dataFolder();
  const galleys = [await galleyIn(data), await galleyIn(data)];
  const runs = galleys.map((galley) => galley.run({ chat: "a", input: "hello", runId: "r" }).result);
  const [one, two] = await Promise.all(runs);
  expect(one).toEqual(two);
  const chat = await (galleys[0] as Galley).chats.open("a");
  expect(chat.transcript({ maxMessages: 10 }).messages).toHaveLength(2);
});
