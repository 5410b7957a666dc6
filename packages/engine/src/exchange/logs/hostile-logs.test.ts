import { expect, test } from "vitest";
import { claudeLog, piLog } from "../testing/log-fixtures.ts";
import type { LogEntry, LogSummary } from "./log-types.ts";
import { readLog } from "./read-log.ts";

// [L2] Whatever a file holds, what can be read of it is, and the rest is said: nothing silent, nothing half.

interface Read extends LogSummary {
  readonly all: readonly LogEntry[];
}

function read(...pieces: readonly string[]): Read {
  const log = readLog({ name: "file" });
  const all = pieces.flatMap((piece) => [...log.push(piece).entries]);
  const summary = log.end();
  return { ...summary, all: [...all, ...summary.entries] };
}

const whole = read(piLog);
const [first = "", ...rest] = piLog.trimEnd().split("\n");
const withLine = (line: string): Read => read([first, line, ...rest, ""].join("\n"));
const deep = (levels: number): string => `{"type":"message","a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

test.each([
  ["deep JSON", deep(250), "levels deep"],
  ["a megabyte of brackets", deep(600_000), "levels deep"],
  ["brackets that never close", `{"a":${"[".repeat(100_000)}`, "not valid JSON"],
  ["NULs, as a crash leaves them", "\0".repeat(4096), "not valid JSON"],
  ["a line of another encoding", '{"type":"message","te\uFFFDxt', "not valid JSON"],
  ["a number beyond all others", '{"type":"message","n":1e999}', "too large"],
  ["a list", "[1,2]", "not an object"],
  ["a word", '"hello"', "not an object"],
])("[L2] %s between the lines of a log is named by its number, and the others are read", (_, line, why) => {
  const found = withLine(line);
  expect([found.damaged, found.isTorn, found.sessions]).toEqual([1, false, whole.sessions]);
  expect(found.notes.find(({ path }) => path === "line 2")?.message).toContain(why);
  expect(found.all.map(({ entry }) => entry.id)).toEqual(whole.all.map(({ entry }) => entry.id));
});

test("[L2] blank lines, carriage returns, a mark of order and half a surrogate change nothing", () => {
  expect(read(`\uFEFF${piLog}`).sessions).toEqual(whole.sessions);
  expect(read(piLog.replaceAll("\n", "\r\n")).sessions).toEqual(whole.sessions);
  expect(read(`\n\n${piLog.replaceAll("\n", "\n\n")}`).sessions).toEqual(whole.sessions);
  const odd = read(piLog.replace("Go on", "Go \\ud800 \\u0000 on")).all.at(-1)?.entry;
  expect(JSON.stringify(odd)).toContain("Go \\ud800 \\u0000 on");
});

test("[L2] fields that a program uses for itself are fields like any other", () => {
  const line = '{"type":"__proto__","id":"constructor","parentId":"toString","timestamp":0,"__proto__":{"x":1}}';
  const { all, damaged } = read(`${piLog}${line}\n`);
  expect(damaged).toBe(0);
  expect(all.at(-1)?.entry).toMatchObject({ id: "constructor", type: "custom", kind: "pi/__proto__" });
});

test("[L2] fields of the wrong kind count as absent, in every format", () => {
  for (const value of [null, 5, "x", [], {}, [[]], [null]]) {
    for (const record of [
      { type: "user", uuid: "w", sessionId: "s1", message: value },
      { type: "assistant", uuid: value, sessionId: "s1", parentUuid: value, message: { content: value, usage: value } },
      { type: "system", subtype: "microcompact_boundary", sessionId: "s1", microcompactMetadata: value },
      { type: "progress", sessionId: "s1", data: value },
      { type: "attachment", sessionId: "s1", attachment: value },
    ]) {
      expect(read(`${claudeLog}${JSON.stringify(record)}\n`).sessions[0]?.id).toBe("claude-code:s1");
    }
    const item = JSON.stringify({ type: "response_item", payload: value });
    const compacted = JSON.stringify({ type: "compacted", payload: { replacement_history: value, message: value } });
    expect(read(`${item}\n${compacted}\n`).format).toBe("codex");
    expect(
      read(JSON.stringify({ info: { id: "ses_1" }, messages: [value, { info: value, parts: [value] }] })).format,
    ).toBe("opencode");
    expect(
      read(
        JSON.stringify({
          sessionId: "g",
          projectHash: "h",
          messages: [value, { id: value, type: "gemini", toolCalls: [value] }],
        }),
      ).format,
    ).toBe("gemini-cli");
    const event = JSON.stringify({
      type: "assistant.message",
      id: "e",
      timestamp: value,
      data: { toolRequests: value, content: value },
    });
    expect(read(`${event}\n`).format).toBe("copilot-cli");
  }
});

test("[L2] a log that is cut anywhere gives what stands before the cut, and says that its last line is torn", () => {
  const ids = whole.all.map(({ entry }) => entry.id);
  for (let cut = first.length + 1; cut < piLog.length; cut += 37) {
    const found = read(piLog.slice(0, cut));
    const before = found.all.map(({ entry }) => entry.id);
    expect(before).toEqual(ids.slice(0, before.length));
    expect([found.damaged, found.isTorn]).toEqual([0, !/[\n}]$/.test(piLog.slice(0, cut))]);
  }
});
