import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { galleyWith } from "../../../galley/testing/temp-galley.ts";
import { hookCommand, hooksFor } from "../../settings/attachable.ts";
import { homeOfAgents } from "../../testing/home-of-agents.ts";
import { galley } from "../../testing/run-command.ts";

let home = "";
let put: (file: string, text: string) => string = () => "";
beforeEach(() => {
  ({ home, put } = homeOfAgents());
});

let records = 0;
const claude = (role: "user" | "assistant", content: unknown): string => {
  records += 1;
  const message = { role, id: `m${records}`, content };
  return `${JSON.stringify({ type: role, uuid: `u${records}`, sessionId: "s1", cwd: "/boat", message })}\n`;
};
const codexSays = (role: string, text: string): string =>
  `${JSON.stringify({ timestamp: 0, type: "response_item", payload: { type: "message", role, content: [{ text }] } })}\n`;

/** What the hook of an agent says about a log. */
async function hook(agent: string, path: string, event: object = {}): Promise<string> {
  const input = { hook_event_name: "SessionStart", source: "compact", transcript_path: path, ...event };
  const { code, out, err } = await galley(["hook", agent], JSON.stringify(input));
  expect([code, err]).toEqual([0, ""]);
  return out;
}
const reminderIn = (out: string): string =>
  (JSON.parse(out) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput.additionalContext;

/** Calls the tool as every MCP client of a data folder does. */
async function recaller(): Promise<(input: object, place?: "chat") => Promise<string>> {
  const { galley: opened } = await galleyWith(() => ({ text: "x" }));
  return async (input, kind) => {
    const place = kind ? ({ kind, name: "demo" } as const) : ({ kind: "agent", name: "local" } as const);
    const { tools } = await opened.toolsFor(place);
    const tool = tools.find(({ name }) => name === "context_recall");
    const context = { caller: "mcp:test", place, callId: "1", signal: new AbortController().signal };
    const outcome = await tool?.execute?.(input, context);
    const [content] = outcome?.kind === "result" ? outcome.content : [];
    return content?.type === "json" ? (content.value as { text: string }).text : "";
  };
}

test("[L7] [L7a] the names of a log come with handles, which open this one log and nothing else", async () => {
  const log = put(
    "a.jsonl",
    claude("user", "Mend src/hull.ts, budget 41505") +
      claude("assistant", [{ type: "text", text: "It calls raise_sail." }]),
  );
  const other = put("b.jsonl", claude("user", "The secret of src/other_boat.ts"));
  const told = await hook("claude-code", log, { hook_event_name: "PreCompact", trigger: "auto" });
  expect(told).toContain("41505 src/hull.ts raise_sail");
  expect(told).not.toContain("§");
  const text = reminderIn(await hook("claude-code", log));
  const [handle = "", tag = ""] = /^§([a-z2-9]{6})-1–2(?= 41505 src\/hull\.ts raise_sail$)/mu.exec(text) ?? [];
  expect(text).toContain(`"scope": "${tag}"`);
  const recall = await recaller();
  expect(await recall({ handle })).toMatch(
    /^\[For reference.*\n.*-1 user:\nMend src\/hull\.ts, budget 41505\n.*-2 assistant:\nIt calls raise_sail\.$/,
  );
  expect(await recall({ handle: `§${tag}-1–§${tag}-2` })).toContain("raise_sail");
  expect(await recall({ handle: "§2", scope: tag })).toContain(`§${tag}-2 assistant:\nIt calls`);
  expect(await recall({ query: "raise_sail", scope: tag })).toContain(`§${tag}-2 assistant: It calls raise_sail.`);
  expect(await recall({ query: "other_boat", scope: tag })).toMatch(
    /^Nothing that left the context window has "other_boat"/,
  );
  expect(await recall({ handle: `§${tag}-9` })).toContain(`There is no §${tag}-9 here. §${tag}-1–2 can be read.`);
  // Without a tag, with another one, and in places that are not an MCP client's, there is no log.
  for (const input of [{ query: "raise_sail" }, { query: "raise_sail", scope: "archives" }, { handle: "§1" }])
    expect(await recall(input)).toContain("No message of this conversation is kept here yet.");
  for (const scope of ["aaaaaa", "../a.jsonl", log, "*", `${tag} `.repeat(2)])
    expect(await recall({ query: "raise_sail", scope })).toMatch(/^No log can be read by the tag/);
  expect(await recall({ handle }, "chat")).toMatch(/^No log can be read by the tag/);
  expect(reminderIn(await hook("claude-code", other))).not.toContain(tag);
  // After detach, nothing is readable any more.
  await galley(["detach", "claude-code", "--yes"]);
  expect(await recall({ handle })).toMatch(/^No log can be read by the tag/);
});

test("[L7a] [L7b] only what is new is read, handles stay, and the tag is the person's alone", async () => {
  const log = put("a.jsonl", claude("user", "Mend src/hull.ts"));
  const first = reminderIn(await hook("claude-code", log));
  const [, tag = ""] = /§(\w{6})-1 src/u.exec(first) ?? [];
  const folder = join(home, "state/galley/attached");
  const [name = ""] = readdirSync(folder);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600]);
  // A line that is still written waits; so does its half.
  const [half, rest] = [claude("user", "Then src/keel.ts").slice(0, 60), claude("user", "Then src/mast.ts")];
  appendFileSync(log, `${claude("assistant", [{ type: "text", text: "It is bolt_7." }])}${half}`);
  const second = reminderIn(await hook("claude-code", log));
  expect(second).toContain(`§${tag}-1–2 src/hull.ts bolt_7`);
  const state = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
    pieces: number[];
    names: { messages: number };
  };
  expect([state.pieces.length, state.names.messages]).toEqual([2, 2]);
  writeFileSync(log, readFileSync(log, "utf8").slice(0, -half.length) + rest);
  expect(reminderIn(await hook("claude-code", log))).toContain(`§${tag}-1–3 src/hull.ts bolt_7 src/mast.ts`);
  expect(await (await recaller())({ handle: `§${tag}-3` })).toContain("Then src/mast.ts");
  // Nothing new: the same again.
  expect(reminderIn(await hook("claude-code", log))).toContain(`§${tag}-1–3 src/hull.ts bolt_7`);
  // Another log in its place has another tag, and the old tag opens it not.
  writeFileSync(log, claude("user", "The secret of src/other_boat.ts and src/hull2.ts".padEnd(2000, ".")));
  expect(await (await recaller())({ query: "other_boat", scope: tag })).toContain("was replaced or removed");
  expect(reminderIn(await hook("claude-code", log))).not.toContain(tag);
  expect(readdirSync(folder)).toHaveLength(1);
});

test.each(["another document", "half a document", "a pipe", "a folder"])(
  "[L7a] with %s in the place of what was kept of a log, the log is read again",
  async (what) => {
    const log = put("a.jsonl", claude("user", "Mend src/hull.ts"));
    const first = reminderIn(await hook("claude-code", log));
    const folder = join(home, "state/galley/attached");
    const file = join(folder, readdirSync(folder)[0] ?? "");
    const text = readFileSync(file, "utf8");
    rmSync(file);
    if (what === "a pipe") execFileSync("mkfifo", [file]);
    else if (what === "a folder") mkdirSync(file);
    else
      writeFileSync(
        file,
        what === "half a document" ? text.slice(0, 90) : text.replace(/"rows":\[.*?\]\]/, '"rows":[5]'),
      );
    const second = reminderIn(await hook("claude-code", log));
    const tagIn = (reminder: string): string => /§(\w{6})-1 src/u.exec(reminder)?.[1] ?? "";
    expect(tagIn(second)).toMatch(/^\w{6}$/);
    expect(tagIn(second)).not.toBe(tagIn(first));
    expect(await (await recaller())({ handle: `§${tagIn(second)}-1` })).toContain("Mend src/hull.ts");
  },
);

test("[L7] of Codex, what its own summary holds is left out", async () => {
  const compacted = {
    message: "Summary: src/hull.ts",
    replacement_history: [{ type: "message", role: "user", content: [{ text: "Mind src/mast.ts" }] }],
  };
  const log = put(
    "rollout.jsonl",
    codexSays("user", "Mend src/hull.ts, src/mast.ts, src/keel.ts") +
      codexSays("assistant", "It calls raise_sail.") +
      `${JSON.stringify({ timestamp: 0, type: "compacted", payload: compacted })}\n`,
  );
  expect(reminderIn(await hook("codex", log))).toMatch(/§\w{6}-1–2 src\/keel\.ts raise_sail$/u);
  // Codex reads nothing before a compaction.
  expect(await hook("codex", log, { hook_event_name: "PreCompact" })).toBe("");
});

test("[L7b] a long result is read for names at its ends only, and its handle gives it back whole", async () => {
  const value = `begin_1 ${"word ".repeat(2000)} middle_2 ghp_${"a1B2".repeat(9)} ${"word ".repeat(2000)} end_3`;
  const log = put("a.jsonl", claude("user", [{ type: "tool_result", tool_use_id: "t", content: value }]));
  const text = reminderIn(await hook("claude-code", log));
  const [, tag = "", names] = /§(\w{6})-1 (.*)$/mu.exec(text) ?? [];
  expect(names).toBe("begin_1 end_3");
  const recall = await recaller();
  expect(await recall({ query: "middle_2", scope: tag })).toMatch(/middle_2 ‹secret:github-token›/);
  // A secret where the head ends is not torn.
  const torn = `${"x".repeat(980)} ghp_${"a1B2".repeat(9)} ${"word ".repeat(500)} end_3`;
  const other = put("b.jsonl", claude("user", [{ type: "tool_result", tool_use_id: "t", content: torn }]));
  expect(await hook("claude-code", other)).not.toContain("ghp_");
});

test("[L7b] [P6] secrets are masked: what looks like one, and the values of the environment", async () => {
  vi.stubEnv("BOAT_TOKEN", "sail_4242_jib");
  const log = put("a.jsonl", claude("user", `Use ghp_${"a1B2".repeat(9)} and sail_4242_jib in src/hull.ts`));
  const text = reminderIn(await hook("claude-code", log));
  expect(text).toContain("src/hull.ts");
  expect(text).not.toMatch(/ghp_|sail_4242_jib/);
});

test("[L7] both texts around a compaction that a person asked for keep to the limit together", async () => {
  const lines = Array.from({ length: 900 }, (_, at) => claude("user", `See src/plank-${at}/beam_${at}.ts`)).join("");
  const log = put("a.jsonl", lines);
  const asked = await hook("claude-code", log, { hook_event_name: "PreCompact", trigger: "manual" });
  const after = reminderIn(await hook("claude-code", log));
  expect(asked.length).toBeGreaterThan(500);
  expect(asked.length + after.length).toBeLessThanOrEqual(9000);
  const own = await hook("claude-code", log, { hook_event_name: "PreCompact", trigger: "auto" });
  expect(own.length).toBeGreaterThan(asked.length * 2);
  expect(reminderIn(await hook("claude-code", log)).length).toBeGreaterThan(after.length);
});

test("[L7b] whatever is wrong, the hook succeeds and says nothing", async () => {
  const log = put("a.jsonl", claude("user", "Mend src/hull.ts"));
  const pipe = join(home, "pipe.jsonl");
  execFileSync("mkfifo", [pipe]);
  symlinkSync(pipe, join(home, "to-pipe.jsonl"));
  symlinkSync(join(home, "nowhere"), join(home, "dangling.jsonl"));
  for (const path of [pipe, "to-pipe.jsonl", "dangling.jsonl", ".", "/dev/zero", "none.jsonl", "", 7, null])
    expect(await hook("claude-code", (path as string) && join(home, String(path)))).toBe("");
  for (const path of ["/dev/zero", pipe, ""]) expect(await hook("claude-code", path)).toBe("");
  for (const text of ["", "not json\n".repeat(50), "{\n", "\u0000".repeat(5000), "[]\n", '{"type":"user"}\n'])
    expect(await hook("claude-code", put("odd.jsonl", text))).toBe("");
  expect(await hook("claude-code", log, { source: "startup" })).toBe("");
  expect(await hook("claude-code", log, { hook_event_name: "Stop" })).toBe("");
  for (const input of ["", "null", "{", "[]", '"x"'])
    expect(await galley(["hook", "codex"], input)).toMatchObject({ code: 0, out: "", err: "" });
  // A link to a plain file is followed.
  symlinkSync(log, join(home, "link.jsonl"));
  expect(reminderIn(await hook("claude-code", join(home, "link.jsonl")))).toContain("src/hull.ts");
  // Where state cannot be kept, nothing could be opened later.
  vi.stubEnv("XDG_STATE_HOME", put("file", ""));
  expect(await hook("claude-code", log)).toBe("");
});

test("[L7b] the command in the settings succeeds in silence where Galley is gone", () => {
  for (const words of [
    ["/nowhere/node", "/no where/galley.js"],
    [process.execPath, "/it's gone/galley.js"],
  ] as const) {
    for (const { command } of hooksFor("claude-code", words)) {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { input: "{}", encoding: "utf8" });
      expect([status, stdout, stderr]).toEqual([0, "", ""]);
    }
  }
  // An option that Node does not know would silence the hook as well.
  const [node = "", ...words] = hookCommand("codex", [process.execPath, "--version"]);
  const { status, stdout } = spawnSync(node, words, { encoding: "utf8" });
  expect([status, stdout.trim()]).toEqual([0, process.version]);
});
