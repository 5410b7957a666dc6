import {
  type BuildRequest,
  type MessageEntry,
  build,
  composePreset,
  formatSession,
  loadTokenizer,
  parsePreset,
  parseSession,
  recordBuild,
  replay,
  toAdvanced,
  toSimple,
  tokenAccount,
  view,
} from "@galley/engine";
import { exportTavern } from "@galley/engine/sillytavern";
import { type FuzzRounds, fuzz, fuzzSeed, roundsOf, spoilJson } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { claimFault } from "./claim-fault.ts";
import { type FuzzSource, exampleText, linesFile, spoilFile } from "./fuzz-sources.ts";
import { afterwards, missing, verdictOf } from "./fuzz-verdict.ts";

const account = tokenAccount(await loadTokenizer("o200k_base"));
const now = "2026-11-15T21:30:00+08:00";
const presets: readonly unknown[] = ["recipes.json", "simple.json"].map((name) => JSON.parse(exampleText(name)));

const entry = (id: string, more: object): object => ({ id, ts: "2026-01-01T00:00:00Z", ...more });
/** A session with every kind of entry. */
const session: FuzzSource = linesFile(
  "session",
  entry("r", { type: "runtime-init", data: { cwd: "/tmp" } }),
  entry("m1", { type: "message", message: { role: "user", content: [{ type: "text", text: "Is there tea?" }] } }),
  entry("m2", {
    type: "message",
    parentId: "m1",
    message: {
      role: "assistant",
      content: [
        { type: "reasoning", text: "look" },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { in: ["pantry", 1] } },
      ],
    },
  }),
  entry("m3", {
    type: "message",
    message: {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { tea: 2 } } },
      ],
    },
  }),
  entry("i1", { type: "injection", stepId: "s", beforeEntryId: "m3", message: { role: "system", content: "x" } }),
  entry("k1", {
    type: "compaction",
    firstKeptEntryId: "m2",
    maskedBefore: "m3",
    summary: "tea",
    dropped: { count: 1, tokens: 9 },
  }),
  entry("x1", { type: "redact", entryId: "m1" }),
  entry("o1", { type: "of-another-program", data: [1, { kept: true }] }),
  entry("m4", { type: "message", parentId: "m3", message: { role: "user", content: "And 茶？" } }),
);
const entries = parseSession(Buffer.from(session.bytes).toString()).entries;
const history = entries.filter((one): one is MessageEntry => one.type === "message");

function buildWith(request: Partial<BuildRequest>, maxInputTokens: number): void {
  build({ entries, account, now, config: { maxInputTokens }, model: "gpt-5", ...request });
}

const presetRounds: FuzzRounds = { few: 800, many: 40_000 };

test(
  `[E] presets with something wrong in them: a build, or every problem with its path (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "presets with something wrong in them",
      holds: "a preset that is taken composes, converts and exports; one that is not says why; nothing else is thrown",
      rounds: roundsOf(presetRounds),
      seed: fuzzSeed,
    });
    const verdicts = new Set<string>();
    await fuzz("preset", presetRounds, (chance) => {
      const text = spoilJson(chance.pick(presets), chance);
      const verdict = verdictOf(() => {
        const { preset } = parsePreset(text);
        afterwards("a preset that was taken is exported", () => void toAdvanced(preset));
        for (const model of ["gpt-5", "claude-x", undefined]) {
          verdictOf(() => void composePreset({ preset, history, now, ...(model === undefined ? {} : { model }) }));
          verdictOf(() => void toSimple(preset, model));
        }
        verdictOf(() => void exportTavern(preset));
        verdictOf(() => buildWith({ preset }, chance.pick([60, 500, 100_000])));
      });
      verdicts.add(verdict);
    });
    expect(missing(verdicts, ["PresetInvalid", "InvalidJson", "fine"])).toEqual([]);
  },
);

const sessionRounds: FuzzRounds = { few: 800, many: 40_000 };

test(
  `[M2] session files with something wrong in them lose no line without a word (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "session files and build records with something wrong in them",
      holds: "every line is an entry or a problem; what was read is written again the same; it builds or says why",
      rounds: roundsOf(sessionRounds),
      seed: fuzzSeed,
    });
    const request = { preset: parsePreset(presets[0]).preset, entries, account, now, config: { maxInputTokens: 5000 } };
    const record = recordBuild(request, build(request));
    await fuzz("session", sessionRounds, (chance) => {
      const text = Buffer.from(spoilFile(session, chance)).toString("utf8");
      const read = parseSession(text);
      const told = new Set(read.problems.map(({ path }) => /^line \d+/.exec(path)?.[0]));
      const lines = text.split("\n").filter((line) => line.trim() !== "").length;
      expect(read.entries.length + told.size).toBeGreaterThanOrEqual(lines);
      const written = formatSession(read.entries);
      expect(formatSession(parseSession(written).entries)).toBe(written);
      verdictOf(() => void view(read.entries));
      verdictOf(() => buildWith({ entries: read.entries }, chance.pick([60, 500, 100_000])));
      const recorded = parseSession(`${formatSession(entries)}${spoilJson(record, chance)}`).entries;
      verdictOf(() => void [...replay(recorded, account)]);
      verdictOf(() => void recordBuild({ ...request, entries: recorded }, build({ ...request, entries: recorded })));
    });
  },
);
