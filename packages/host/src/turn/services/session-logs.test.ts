import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEntry } from "@galley/engine";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../store/open-store.ts";
import { sessionLogs } from "./session-logs.ts";

const data = mkdtempSync(join(tmpdir(), "galley-logs-"));
const store = await openStore({ data });
afterAll(async () => {
  await store.close();
  rmSync(data, { recursive: true, force: true });
});

function entries(prefix: string, count: number): SessionEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${index}`,
    ts: index,
    type: "message",
    message: { role: "user", content: `${prefix} ${index}` },
  }));
}

test("[F14] a log that was read stays: what comes later is put behind the same entries", async () => {
  const logs = sessionLogs(store.sessions, "p");
  const [first] = await logs.append("steady", entries("a", 3));
  const log = await logs.append("steady", entries("b", 1));
  expect(log).toHaveLength(4);
  expect(log[0]).toBe(first);
});

test("[F14] a limited number of entries of all sessions stays in memory; those of the one in use always do, and nothing is lost", async () => {
  const logs = sessionLogs(store.sessions, "p", { maxEntries: 10 });
  const [small] = await logs.append("small", entries("s", 4));
  expect((await logs.recent("small"))[0]).toBe(small);
  const [large] = await logs.append("large", entries("l", 20));
  expect((await logs.recent("large"))[0]).toBe(large);
  const again = await logs.recent("small");
  expect(again[0]).not.toBe(small);
  expect(again).toEqual(entries("s", 4));
  expect((await logs.recent("large"))[0]).not.toBe(large);
});

const compaction = (keeps: string): SessionEntry => ({
  id: `c-${keeps}`,
  ts: 0,
  type: "compaction",
  firstKeptEntryId: keeps,
  dropped: { count: 1, tokens: 1 },
});

test("[F14] of a long log, only what the compaction in force keeps is read and kept in memory", async () => {
  const long = { projectId: "p", sessionId: "long" };
  await store.sessions.append(long, [...entries("a", 3000), compaction("a2990"), ...entries("b", 5)]);
  const logs = sessionLogs(store.sessions, "p");
  expect((await logs.recent("long")).map(({ id }) => id)).toEqual([
    ...entries("a", 3000)
      .slice(2990)
      .map(({ id }) => id),
    "c-a2990",
    "b0",
    "b1",
    "b2",
    "b3",
    "b4",
  ]);
  expect(await logs.read("long")).toHaveLength(3006);
  // Another process compacts again, and another one goes back behind all that is kept here.
  await store.sessions.append(long, [compaction("b3"), ...entries("d", 1)]);
  expect((await logs.recent("long")).map(({ id }) => id)).toEqual(["b3", "b4", "c-b3", "d0"]);
  await store.sessions.append(long, [{ id: "m", ts: 0, type: "custom", kind: "branch", parentId: "a5" }]);
  expect((await logs.recent("long"))[0]?.id).toBe("a0");
});

test("[F14] what is appended to the end that is known is kept as the very entry, unless JSON says it in another way", async () => {
  const logs = sessionLogs(store.sessions, "p");
  await logs.append("own", entries("a", 2));
  const [plain] = entries("b", 1);
  const bytes = { id: "x", ts: 1, type: "custom", kind: "k", data: { at: new Date(0) } } as unknown as SessionEntry;
  const log = await logs.append("own", [plain as SessionEntry, bytes], "a1");
  expect(log[2]).toBe(plain);
  expect(log[3]).toEqual({ id: "x", ts: 1, type: "custom", kind: "k", data: { at: "1970-01-01T00:00:00.000Z" } });
  expect(await logs.recent("own")).toBe(log);
  await store.sessions.delete({ projectId: "p", sessionId: "own" });
  await store.sessions.append({ projectId: "p", sessionId: "own" }, entries("z", 1));
  expect(await logs.recent("own")).toEqual(entries("z", 1));
});
