import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { view } from "./fit/log/view.ts";
import type { SessionEntry } from "./model/entries.ts";
import { GalleyError } from "./model/check/errors.ts";
import {
  claudeLog,
  codexLog,
  copilotLog,
  galleyLog,
  geminiLog,
  opencodeLog,
  piLog,
} from "./exchange/testing/log-fixtures.ts";
import type { LogFormat, LogSummary } from "./exchange/logs/log-types.ts";
import { readLog } from "./exchange/logs/read-log.ts";

interface Read extends LogSummary {
  readonly logs: Readonly<Record<string, readonly SessionEntry[]>>;
}

function read(text: string, cuts: readonly number[] = [], as?: LogFormat): Read {
  const logs: Record<string, SessionEntry[]> = {};
  const reader = readLog({ name: "file", as });
  const take = ({ entries }: { entries: LogSummary["entries"] }): void => {
    for (const { session, entry } of entries) (logs[session] ??= []).push(entry);
  };
  let from = 0;
  for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
    take(reader.push(text.slice(from, cut)));
    from = Math.max(from, cut);
  }
  const summary = reader.end();
  take(summary);
  return { ...summary, logs };
}

const fixtures = {
  "claude-code": claudeLog,
  codex: codexLog,
  pi: piLog,
  opencode: opencodeLog,
  "gemini-cli": geminiLog,
  "copilot-cli": copilotLog,
  galley: galleyLog,
} as const satisfies Record<LogFormat, string>;

const sent = (entries: readonly SessionEntry[] = []): readonly unknown[] =>
  view(entries).messages.map(({ message: { role, content } }) => [
    role,
    typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : part.type)).join("+"),
  ]);

test.each(Object.entries(fixtures))("[L1] a log of %s is known by its content", (format, text) => {
  expect(read(text).format).toBe(format);
});

test.each(Object.entries(fixtures))("[L1] a log of %s gives the same in pieces of any size", (_, text) => {
  const whole = read(text);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
      expect(read(text, cuts)).toEqual({ ...whole, entries: expect.anything() as unknown });
    }),
    { numRuns: 20 },
  );
});

describe("[L1] what each format says", () => {
  test("Claude Code: a reply is joined from its lines, and its results follow it", () => {
    const { logs, sessions } = read(claudeLog);
    const { "claude-code:s1": main = [], "claude-code:s1/agent-bolts": side = [] } = logs;
    expect(main.map(({ id, type }) => [id, type])).toEqual([
      ["u1", "message"],
      ["a1", "message"],
      ["r1", "message"],
      ["r2", "message"],
      ["a4", "message"],
      ["b1", "compaction"],
      ["a5", "message"],
    ]);
    expect(main[1]).toMatchObject({
      message: { content: [{ type: "reasoning" }, { toolCallId: "t1" }, { toolCallId: "t2" }] },
      call: { model: "claude-opus-4-7", usage: { inputTokens: 115, cachedInputTokens: 100, outputTokens: 7 } },
    });
    expect(main.every(({ parentId }) => parentId === undefined)).toBe(true);
    expect(sent(main)).toEqual([["assistant", "Going on."]]);
    expect(view(main).compaction).toMatchObject({ summary: "Summary: the hull leaks.", summarised: { tokens: 900 } });
    expect(sent(side)).toEqual([
      ["user", "Find bolts"],
      ["assistant", "Four."],
    ]);
    expect(sessions).toMatchObject([
      { id: "claude-code:s1", title: "The hull", folder: "/home/ada/boat", counts: { usage: 3, calls: 2, results: 2 } },
      { id: "claude-code:s1/agent-bolts", parent: "claude-code:s1" },
    ]);
  });

  test("Claude Code: going back makes a branch, and cleared results are left out of the window", () => {
    const extra = [
      {
        type: "user",
        uuid: "w1",
        parentUuid: "u1",
        sessionId: "s1",
        timestamp: "t",
        message: { content: "Rather not" },
      },
      {
        type: "system",
        subtype: "microcompact_boundary",
        uuid: "w2",
        parentUuid: "w1",
        sessionId: "s1",
        microcompactMetadata: { compactedToolIds: ["t1"] },
      },
    ];
    const before = claudeLog.split("\n").slice(0, 8).join("\n");
    const main = read(`${before}\n${extra.map((record) => JSON.stringify(record)).join("\n")}\n`).logs[
      "claude-code:s1"
    ];
    expect(main?.at(-2)).toMatchObject({ id: "w1", parentId: "u1" });
    expect(main?.at(-1)).toMatchObject({ type: "compaction", shrunk: [{ entryId: "r1", part: 0, keep: 0 }] });
    expect(sent(main)).toEqual([
      ["user", "Mend src/hull.ts"],
      ["user", "Rather not"],
    ]);
  });

  test("Codex: items become replies with their usage, and a compaction brings its history", () => {
    const { logs, sessions, notes } = read(codexLog);
    const { "codex:c1": main = [] } = logs;
    const reply = main.find((entry) => entry.type === "message" && entry.call?.usage !== undefined);
    expect(reply).toMatchObject({
      message: { content: [{ type: "reasoning" }, { toolName: "exec_command", input: { cmd: "ls" } }] },
      call: { model: "gpt-6.1-codex", usage: { inputTokens: 50, cachedInputTokens: 40, outputTokens: 5 } },
    });
    expect(sent(main)).toEqual([
      ["system", "You are Codex."],
      ["user", "Mend the sail"],
      ["user", "And the mast?"],
    ]);
    expect(sessions[0]?.counts).toMatchObject({ calls: 2, results: 2, usage: 1, compactions: 1 });
    expect(notes.filter(({ fate }) => fate === "unsupported").map(({ message }) => message)).toContain(
      "1 summary in encrypted form, for the provider alone",
    );
  });

  test("pi: its tree is kept, and a compaction keeps what it says", () => {
    const { "pi:p1": main = [] } = read(piLog).logs;
    expect(main.find(({ id }) => id === "05")).toMatchObject({ parentId: "03" });
    expect(view(main).compaction?.summary).toBe("They listed.");
    expect(sent(main)).toEqual([
      ["assistant", "Only one file."],
      ["user", "Go on"],
    ]);
  });

  test("opencode: a document over many lines; calls with one id stay apart", () => {
    const { sessions, logs } = read(opencodeLog);
    expect(sessions[0]).toMatchObject({ id: "opencode:ses_1", parent: "opencode:ses_0", title: "The keel" });
    const results = logs["opencode:ses_1"]?.find(({ id }) => id === "m2/results");
    expect(results).toMatchObject({
      message: {
        content: [
          { toolCallId: "c1", output: { type: "text", value: "keel" } },
          { toolCallId: "p2", output: { type: "error-text", value: "gone" } },
        ],
      },
    });
    expect(view(logs["opencode:ses_1"] ?? []).compaction?.summary).toBe("All well.");
  });

  test("Gemini CLI: the last state of a message counts, and what was taken back is a branch", () => {
    const { "gemini-cli:g1": main } = read(geminiLog).logs;
    expect(sent(main)).toEqual([
      ["user", "Look"],
      ["assistant", "tool-call"],
      ["tool", "tool-result"],
      ["user", "Right"],
    ]);
    expect(main?.some(({ id }) => id === "3")).toBe(true);
  });

  test("Copilot CLI: what the model read counts, not what was typed", () => {
    expect(sent(read(copilotLog).logs["copilot-cli:o1"])).toEqual([
      ["system", "You are Copilot."],
      ["user", "<now/> Look"],
      ["assistant", "Hm.+tool-call"],
      ["tool", "tool-result"],
      ["assistant", "An anchor."],
    ]);
  });

  test("Galley: entries come in as they are, unknown kinds too", () => {
    expect(
      read(galleyLog)
        .logs["file"]?.map((entry) => JSON.stringify(entry))
        .join("\n"),
    ).toBe(galleyLog.trim());
  });
});

describe("[L2] nothing is lost without a word", () => {
  test("two objects on one line are both read; a damaged line is named; a torn last line waits", () => {
    const [first = "", second = "", ...rest] = piLog.trim().split("\n");
    const text = `${first}${second}\n{"type": oops}\n${rest.join("\n")}\n{"type":"message","id":"08"`;
    const { damaged, isTorn, notes, logs } = read(text);
    expect([damaged, isTorn]).toEqual([1, true]);
    expect(notes.filter(({ path }) => path === "line 2")).toHaveLength(1);
    expect(logs["pi:p1"]).toEqual(read(piLog).logs["pi:p1"]);
  });

  test("a line over 64 MB is skipped and counted by its number, wherever it stands", () => {
    const [first = "", ...rest] = piLog.trim().split("\n");
    const long = Array.from({ length: 68 }, () => "x".repeat(1_000_000));
    for (const before of [[], [`${first}\n`]]) {
      const log = readLog({ name: "file" });
      for (const piece of [...before, '{"type":"', ...long, '"}\n', ...(before.length > 0 ? [] : [`${first}\n`])])
        log.push(piece);
      log.push(`${rest.join("\n")}\n`);
      const { damaged, notes, sessions } = log.end();
      expect([damaged, sessions[0]?.counts]).toEqual([1, read(piLog).sessions[0]?.counts]);
      expect(notes.find(({ message }) => message.includes("longer than"))?.path).toBe(`line ${before.length + 1}`);
    }
  });

  test("a record that is not understood is kept, and one that comes twice is read once", () => {
    const odd = JSON.stringify({ type: "weather", id: "99", parentId: "07", timestamp: 0, sky: "blue" });
    const { logs, notes } = read(`${piLog}${odd}\n${odd}\n`);
    expect(logs["pi:p1"]?.at(-1)).toMatchObject({
      id: "99",
      type: "custom",
      kind: "pi/weather",
      record: { sky: "blue" },
    });
    expect(notes.at(-1)?.message).toContain("1 record that the log repeats, read once");
  });

  test("no message is lost to an id that another one has", () => {
    const twin = piLog.replace("Go on", "Stop here").trim().split("\n").at(-1) ?? "";
    const entries = read(`${piLog}${twin}\n`).logs["pi:p1"] ?? [];
    expect(entries.filter(({ id }) => id.startsWith("07"))).toHaveLength(2);
    expect(sent(entries).at(-1)).toEqual(["user", "Stop here"]);
  });

  test("reading a log that has grown gives the same entries, and then more", () => {
    for (const text of [claudeLog, codexLog, piLog, copilotLog]) {
      const all = Object.values(read(text).logs).flat();
      const half = text.split("\n").slice(0, -3).join("\n");
      const known = new Map(all.map((entry) => [entry.id, JSON.stringify(entry)]));
      for (const entry of Object.values(read(`${half}\n`).logs).flat()) expect(known.has(entry.id)).toBe(true);
    }
  });

  test.each([
    ["# aider chat started at 2026-01-01\n", "aider"],
    ["interactions:\n- request:\n", "a cassette"],
    ['[{"ts":1,"type":"say","say":"text"}]', "Cline"],
    ['[{"kind":"MessageEvent"}]', "OpenHands"],
    ['{"role":"user","message":{"content":[{"type":"text","text":"x"}]}}\n', "Cursor"],
    ['[{"lc":1,"id":[]}]', "LangChain"],
    ['{"messages":[{"role":"user","content":"x"}]}', "a request to OpenAI or Anthropic"],
    ["hello\nthere\n", "not a log of an agent"],
    ["", "not a log of an agent"],
    ['{"a":1}\n', "not a log of an agent"],
    ["[".repeat(300), "not a log of an agent"],
  ])("%j is answered with what it is: %s", (text, message) => {
    expect(() => read(text)).toThrow(GalleyError);
    expect(() => read(text)).toThrow(message);
  });

  test("a log that is named as another one is read as that, and keeps what it does not know", () => {
    expect(read(galleyLog, [], "codex").logs["codex:file"]?.every(({ type }) => type === "custom")).toBe(true);
  });
});
