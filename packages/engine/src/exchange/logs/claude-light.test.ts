import { expect, test } from "vitest";
import { claudeLog } from "../testing/log-fixtures.ts";
import { readLight } from "./claude-light.ts";
import { readLog } from "./read-log.ts";

// [L7b] A log that is read for its messages says the same as one that is read whole, without half of it being parsed.

const long = "const hull = 1;\n".repeat(100);
const ids = { uuid: "u9", timestamp: "2026-03-01T10:00:09.000Z" };
const before = { parentUuid: "a4", isSidechain: false, sessionId: "s1", cwd: "/home/ada/boat", type: "user" };
const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "two planks" }] };
const copy = { type: "text", file: { content: long, 'a"b': [{ uuid: "x" }] } };

function messagesOf(line: string, options: { readonly messagesOnly?: boolean }): readonly unknown[] {
  const log = readLog({ name: "log", as: "claude-code", ...options });
  const entries = [...log.push(`${claudeLog}${line}\n`).entries, ...log.end().entries];
  return entries.flatMap(({ session, entry }) =>
    entry.type === "message" ? [{ session, id: entry.id, ts: entry.ts, message: entry.message }] : [],
  );
}

test.each([
  ["behind the ids", { ...before, message, ...ids, toolUseResult: copy }],
  ["before the ids", { ...before, message, toolUseResult: copy, sourceToolAssistantUUID: "a4", ...ids }],
  [
    "among other fields",
    { ...before, message, toolUseResult: copy, ...ids, userType: "external", slug: null, isMeta: false },
  ],
  ["as a text", { ...before, message, toolUseResult: `Error: ,"uuid":"u1"} ${long}`, ...ids }],
  ["as a list", { ...before, message, ...ids, toolUseResult: [copy, [copy]] }],
  ["of a command under way", { ...before, type: "progress", data: { type: "bash_progress", output: long }, ...ids }],
])("[L7b] a copy of a result that stands %s is not parsed, and nothing is missing", (_, record) => {
  const line = JSON.stringify(record);
  const light = readLight(line);
  expect(light).toMatchObject(ids);
  expect(JSON.stringify(light).length).toBeLessThan(600);
  expect(messagesOf(line, { messagesOnly: true })).toEqual(messagesOf(line, {}));
});

test.each([
  [
    "inside of what is said",
    { ...before, message: { role: "user", content: [{ text: "x", toolUseResult: copy }] }, ...ids },
  ],
  ["before the message", { ...before, toolUseResult: copy, message, ...ids }],
  ["without ids", { ...before, message, toolUseResult: copy }],
  ["with ids of its own only", { ...before, message, toolUseResult: { ...copy, ...ids } }],
  ["with a list behind it", { ...before, message, toolUseResult: copy, ...ids, todos: [1] }],
  ["of a sub-agent", { ...before, isSidechain: true, agentId: "a", message, toolUseResult: copy, ...ids }],
  ["in a reply", { ...before, type: "assistant", message: { content: [{ type: "text", text: long }] }, ...ids }],
])("[L7b] a record with a copy %s is read whole", (_, record) => {
  const line = JSON.stringify(record);
  expect(readLight(line)).toBeUndefined();
  expect(messagesOf(line, { messagesOnly: true })).toEqual(messagesOf(line, {}));
});

test("[L7b] a last line that is cut off waits, wherever it is cut", () => {
  const line = JSON.stringify({ ...before, message, ...ids, toolUseResult: copy });
  for (const length of [line.length - 1, line.length - 3, 1200]) {
    const log = readLog({ name: "log", as: "claude-code", messagesOnly: true });
    log.push(claudeLog);
    log.push(line.slice(0, length));
    const { isTorn, entries } = log.end();
    expect([isTorn, JSON.stringify(entries).includes("two planks")]).toEqual([true, false]);
  }
});
