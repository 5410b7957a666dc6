import { expect, test } from "vitest";
import { readLog } from "./exchange/logs/read-log.ts";
import { quarterAccount } from "./fit/testing/sessions.ts";
import type { SessionEntry } from "./model/entries.ts";
import { loggedBuild, loggedCalls } from "./proof/logged-calls.ts";

function read(text: string) {
  const log = readLog({ name: "file" });
  const pushed = log.push(text).entries;
  const { entries, notes } = log.end();
  return { all: [...pushed, ...entries].map(({ entry }): SessionEntry => entry), notes };
}

test("[L1] opencode: results that were pruned are cleared from there on, and calls before had read them", () => {
  const keel = "the keel of ferry_boat_12 ".repeat(20);
  const tool = (n: number, compacted?: number) => ({
    type: "tool",
    callID: `c${n}`,
    tool: "read",
    state: { status: "completed", input: {}, output: `${n} ${keel}`, time: { start: 1, end: 1, compacted } },
  });
  const message = (id: string, role: string, created: number, parts: unknown[], more = {}) => ({
    info: { id, role, time: { created }, ...more },
    parts,
  });
  const messages = [
    message("m1", "user", 1, [{ type: "text", text: "Look" }]),
    message("m2", "assistant", 2, [tool(1, 50), tool(2), tool(3, 51)]),
    message("m3", "assistant", 3, [{ type: "text", text: "Seen." }]),
    message("m4", "user", 60, [{ type: "text", text: "Again?" }]),
    message("m5", "assistant", 61, [tool(4, 70), { type: "text", text: "Yes." }]),
  ];
  const { all, notes } = read(JSON.stringify({ info: { id: "s" }, messages }));
  expect(all.map(({ id }) => id)).toEqual("m1 m2 m2/results m3 cleared-51 m4 m5 m5/results cleared-70".split(" "));
  expect(notes.map(({ message: text }) => text)).toContainEqual(expect.stringContaining("cleared results of tools"));
  const readBy = (n: number): string => JSON.stringify(loggedBuild(all, n, quarterAccount)?.messages);
  expect([1, 2, 3].map((n) => readBy(2).includes(`${n} the keel`))).toEqual([true, true, true]);
  expect([1, 2, 3].map((n) => readBy(3).includes(`${n} the keel`))).toEqual([false, true, false]);
  // The list of the calls and each call itself count the same.
  for (const { n, inputTokens } of loggedCalls(all, quarterAccount))
    expect(loggedBuild(all, n, quarterAccount)?.stats.inputTokens).toBe(inputTokens);
  // In the store of the program each message is a line of its own.
  const lines = [{ info: { id: "s" }, messages: [] }, ...messages].map((line) => JSON.stringify(line)).join("\n");
  expect(read(lines).all).toEqual(all);
});
