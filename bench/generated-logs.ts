import { closeSync, openSync, utimesSync, writeSync } from "node:fs";

// Logs of our own making, in Claude Code's format: the same every time, with the shares of a real session.

/** What a record of a log repeats. */
const common = {
  isSidechain: false,
  userType: "external",
  cwd: "/home/ada/boat",
  version: "2.1.129",
  gitBranch: "main",
};
const page = "the hull leaks at the third rib, see src/hull/frame-12.ts, line 48; pnpm test hull fails with EPIPE\n";

/** Writes a log of about this many bytes: requests, replies in two lines, results up to 200 kB, a compaction now and then. */
export function writeLog(file: string, bytes: number, session: string, firstTurn = 0): void {
  const handle = openSync(file, "w");
  try {
    let parent: string | null = null;
    for (let turn = firstTurn, written = 0; written < bytes; turn += 1) {
      const records = turnOf(turn, session, parent);
      parent = `${session}-${turn}-end`;
      written += writeSync(handle, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    }
  } finally {
    closeSync(handle);
  }
}

/** A small log, last written at a moment of its own, so that a list of many has an order. */
export function writeSmallLog(file: string, index: number): void {
  writeLog(file, 2000, `session-${index}`, 1);
  const seconds = 1_700_000_000 + index;
  utimesSync(file, seconds, seconds);
}

function turnOf(turn: number, sessionId: string, parent: string | null): readonly object[] {
  const timestamp = new Date(1_750_000_000_000 + turn * 60_000).toISOString();
  const id = (name: string): string => `${sessionId}-${turn}-${name}`;
  const of = (name: string, parentUuid: string | null) => ({
    ...common,
    sessionId,
    timestamp,
    uuid: id(name),
    parentUuid,
  });
  const usage = {
    input_tokens: 12,
    cache_read_input_tokens: 90_000,
    cache_creation_input_tokens: 900,
    output_tokens: 200,
  };
  const reply = { id: id("reply"), model: "claude-opus-4-7", role: "assistant", usage };
  const call = { type: "tool_use", id: id("call"), name: "Read", input: { file_path: `src/hull/frame-${turn}.ts` } };
  const result = page.repeat(turn % 40 === 0 ? 2000 : 20 + ((turn * 37) % 200));
  const isCompacted = turn > 0 && turn % 400 === 0;
  const boundary = {
    ...of("cut", null),
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: { preTokens: 160_000 },
  };
  const summary = { content: `This session is being continued. ${page.repeat(60)}` };
  return [
    ...(isCompacted
      ? [boundary, { ...of("summary", id("cut")), type: "user", isCompactSummary: true, message: summary }]
      : []),
    {
      ...of("ask", isCompacted ? id("summary") : parent),
      type: "user",
      message: { role: "user", content: `Turn ${turn}: ${page}` },
    },
    {
      ...of("a", id("ask")),
      type: "assistant",
      message: { ...reply, content: [{ type: "text", text: page.repeat(3) }] },
    },
    { ...of("b", id("a")), type: "assistant", message: { ...reply, content: [call] } },
    {
      ...of("end", id("b")),
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id("call"), content: result }] },
      toolUseResult: { type: "text", file: { content: result } },
    },
  ];
}
