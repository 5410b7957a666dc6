import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionEntry, formatSession, parseSession } from "@galley/engine";
import { importLog } from "@galley/engine/logs";
import { claudeLog, codexLog, opencodeLog, piLog } from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { callOf, callsOf } from "./logged-builds.ts";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-logged-"));
const store = await openStore({ data: folder });
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
const refOf = (sessionId: string): { projectId: string; sessionId: string } => ({ projectId: "default", sessionId });
const append = async (sessionId: string, entries: readonly SessionEntry[]): Promise<number> =>
  (await store.sessions.append(refOf(sessionId), entries)).added.length;

test("[L4] the calls of an imported session are those that its log tells of", async () => {
  await importLog([claudeLog], append, { name: "log" });
  const calls = await callsOf(store, refOf("claude-code:s1"));
  expect(calls.map(({ n, turn, callOfTurn, compacted }) => [n, turn, callOfTurn, compacted])).toEqual([
    [1, 1, 1, false],
    [2, 1, 2, false],
    [3, 1, 3, true],
  ]);
  expect(calls[0]).toMatchObject({ model: "claude-opus-4-7", usage: { inputTokens: 115, outputTokens: 7 } });
  const second = await callOf(store, refOf("claude-code:s1"), 2);
  expect(second?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect((await callOf(store, refOf("claude-code:s1")))?.messages).toHaveLength(1);
  expect(await callOf(store, refOf("claude-code:s1"), 9)).toBeUndefined();
});

test("[L4] built twice, and after export and import, a call has the same digest", async () => {
  for (const text of [claudeLog, codexLog, opencodeLog, piLog]) {
    const { sessions } = await importLog([text], append, { name: "log" });
    for (const { id } of sessions) {
      const first = await callOf(store, refOf(id));
      const { entries } = parseSession(formatSession(await store.sessions.read(refOf(id))));
      await append(`again/${id}`, entries);
      const again = await callOf(store, refOf(`again/${id}`));
      expect(first?.digest).toMatch(/^[0-9a-f]{64}$/);
      expect([again?.digest, (await callOf(store, refOf(id)))?.digest]).toEqual([first?.digest, first?.digest]);
    }
  }
});

test("[L4] a session that no log gave has no calls but those that were recorded", async () => {
  await append("plain", [{ id: "a", ts: 0, type: "message", message: { role: "assistant", content: "Hello" } }]);
  expect(await callsOf(store, refOf("plain"))).toEqual([]);
});
