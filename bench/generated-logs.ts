import { createHash } from "node:crypto";
import { closeSync, openSync, utimesSync, writeSync } from "node:fs";
import { numbersFrom } from "../packages/engine/src/model/testing/fuzz-chance.ts";

// Logs of our own making, in Claude Code's format: the same every time. How large its records are, how many there are of each
// kind and how many go beyond ASCII is what real sessions showed.

/** What a record of a log repeats. */
const common = {
  isSidechain: false,
  userType: "external",
  cwd: "/home/ada/boat",
  version: "2.1.49",
  gitBranch: "main",
};
const usage = {
  input_tokens: 3,
  cache_creation_input_tokens: 912,
  cache_read_input_tokens: 90_118,
  cache_creation: { ephemeral_5m_input_tokens: 912, ephemeral_1h_input_tokens: 0 },
  output_tokens: 204,
  service_tier: "standard",
};

/** Sizes in characters: the smallest, those that a quarter, half, three quarters, nine tenths and 99 of 100 stay below, the largest. */
type Sizes = readonly [number, number, number, number, number, number, number];
const shares = [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1];
const sizes = {
  request: [30, 57, 125, 245, 1600, 15_000, 21_000],
  thinking: [100, 200, 400, 1300, 4000, 13_500, 38_000],
  text: [20, 70, 130, 340, 1150, 2700, 8000],
  input: [20, 60, 110, 400, 1200, 6000, 19_000],
  result: [40, 110, 500, 1750, 6300, 30_600, 105_000],
  /** The structured copy of a result: often a whole file, before and after. */
  copy: [60, 250, 1200, 5300, 15_800, 61_000, 200_000],
  progress: [10, 20, 40, 900, 1300, 45_000, 200_000],
} as const satisfies Record<string, Sizes>;

const words =
  "hull rib plank the leaks at third frame const return await import from test expect path src index file error value while rope mast".split(
    " ",
  );
const [plain, beyondAscii] = [textOf(""), textOf("→")];
const imageEvery = 600;
const compactionEvery = 60;

/** Writes a log of about this many bytes. */
export function writeLog(file: string, bytes: number, session: string, firstTurn = 0): void {
  const handle = openSync(file, "w");
  try {
    let parent: string | null = null;
    for (let turn = firstTurn, written = 0; written < bytes; turn += 1) {
      const records = turnOf(turn, session, parent);
      parent = uuidOf(`${session}-${turn}-end`);
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

/** One request and all that the agent does until it answers. */
function turnOf(turn: number, sessionId: string, before: string | null): readonly object[] {
  const random = numbersFrom(turn * 0x9e_37_79_b9);
  const records: object[] = [];
  let parentUuid = before;
  const add = (type: string, more: object, name = `${records.length}`): string => {
    const uuid = uuidOf(`${sessionId}-${turn}-${name}`);
    const timestamp = new Date(1_750_000_000_000 + turn * 600_000 + records.length * 1000).toISOString();
    records.push({ parentUuid, ...common, sessionId, type, ...more, uuid, timestamp });
    parentUuid = uuid;
    return uuid;
  };
  if (turn > 0 && turn % compactionEvery === 0) {
    const logicalParentUuid = parentUuid;
    parentUuid = null;
    const compactMetadata = { trigger: "auto", preTokens: 160_000 };
    add("system", {
      subtype: "compact_boundary",
      content: "Conversation compacted",
      logicalParentUuid,
      compactMetadata,
    });
    const content = `This session is being continued from a previous conversation. ${piece(random, 12_000)}`;
    add("user", { isCompactSummary: true, isVisibleInTranscriptOnly: true, message: { role: "user", content } });
  }
  const messageId = uuidOf(`${sessionId}-${turn}-snapshot`);
  records.push({ type: "file-history-snapshot", messageId, snapshot: { messageId, trackedFileBackups: {} } });
  add("user", { message: { role: "user", content: `Turn ${turn}: ${drawn(random, "request")}` } });
  // The first turn is all that a small log has.
  const steps = turn <= 1 ? 1 : 3 + Math.floor(random() * 13);
  for (let step = 0; step < steps; step += 1) addStep(add, random, `${sessionId}-${turn}-${step}`);
  const end = replyOf(`${sessionId}-${turn}-last`);
  add("assistant", end([{ type: "text", text: drawn(random, "text") }]));
  add("system", { subtype: "turn_duration", durationMs: 48_000, isMeta: false }, "end");
  return records;
}

/** A reply in several lines, and what the tool that it calls gives. */
function addStep(add: (type: string, more: object) => string, random: () => number, name: string): void {
  const reply = replyOf(name);
  if (random() < 0.45) {
    const signature = piece(random, 300, plain).replaceAll(/\W/g, "x");
    add("assistant", reply([{ type: "thinking", thinking: drawn(random, "thinking"), signature }]));
  }
  if (random() < 0.4) add("assistant", reply([{ type: "text", text: drawn(random, "text") }]));
  const id = `toolu_${uuidOf(`${name}-call`).replaceAll("-", "").slice(0, 24)}`;
  const input = { file_path: `/home/ada/boat/src/${name}.ts`, old_string: drawn(random, "input") };
  const called = add("assistant", reply([{ type: "tool_use", id, name: "Edit", input }]));
  if (random() < 0.65) {
    const data = { type: "bash_progress", output: "", fullOutput: drawn(random, "progress"), elapsedTimeSeconds: 2 };
    add("progress", { data, toolUseID: `bash-progress-${name}`, parentToolUseID: id });
  }
  const hasImage = random() < 1 / imageEvery;
  const data = hasImage ? Buffer.from(plain).toString("base64").slice(0, 700_000) : "";
  const image = [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  const content = hasImage ? image : drawn(random, "result");
  const copy = hasImage ? { base64: data } : { originalFile: drawn(random, "copy") };
  add("user", {
    message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content }] },
    toolUseResult: { type: hasImage ? "image" : "text", filePath: input.file_path, ...copy },
    sourceToolAssistantUUID: called,
  });
}

/** Every line of a reply repeats its id and its usage. */
function replyOf(name: string): (content: readonly object[]) => object {
  const id = uuidOf(`${name}-reply`).replaceAll("-", "").slice(0, 24);
  const reply = { model: "claude-opus-4-7", id: `msg_${id}`, type: "message", role: "assistant" };
  return (content) => ({
    message: { ...reply, content, stop_reason: null, stop_sequence: null, usage },
    requestId: `req_${id}`,
  });
}

function drawn(random: () => number, of: keyof typeof sizes): string {
  const share = random();
  const above = shares.findIndex((part) => part > share);
  const [low, high] = [sizes[of][above - 1] ?? 1, sizes[of][above] ?? 1];
  const [from, to] = [shares[above - 1] ?? 0, shares[above] ?? 1];
  return piece(random, Math.round(low * (high / low) ** ((share - from) / (to - from))));
}

/** A part of one of the long texts; half of what is long goes beyond ASCII. */
function piece(random: () => number, length: number, text = random() < 0.5 ? beyondAscii : plain): string {
  const start = Math.floor(random() * (text.length - length));
  return text.slice(start, start + length);
}

/** A million characters in numbered lines, as an agent is shown a file. */
function textOf(mark: string): string {
  const random = numbersFrom(7 * 0x9e_37_79_b9);
  let text = "";
  for (let line = 1; text.length < 1_000_000; line += 1) {
    const said = Array.from({ length: 4 + (line % 9) }, () => words[Math.floor(random() * words.length)]);
    text += `${String(line).padStart(6)}${mark || "\t"}${said.join(" ")} = "${line * 7919}";\n`;
  }
  return text;
}

function uuidOf(name: string): string {
  return createHash("md5")
    .update(name)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
