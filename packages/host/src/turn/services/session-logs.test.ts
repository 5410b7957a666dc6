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

test("[F14] so many entries of all sessions stay in memory; those of the one in use always do, and nothing is lost", async () => {
  const logs = sessionLogs(store.sessions, "p", { maxEntries: 10 });
  const [small] = await logs.append("small", entries("s", 4));
  expect((await logs.read("small"))[0]).toBe(small);
  const [large] = await logs.append("large", entries("l", 20));
  expect((await logs.read("large"))[0]).toBe(large);
  const again = await logs.read("small");
  expect(again[0]).not.toBe(small);
  expect(again).toEqual(entries("s", 4));
  expect((await logs.read("large"))[0]).not.toBe(large);
});
