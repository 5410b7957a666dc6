import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Build,
  ContextManager,
  type SessionEntry,
  digestOf,
  exportFor,
  formatSession,
  loadTokenizer,
  parseSession,
} from "@galley/engine";
import { type LogFormat, type LogSummary, logFormats, readLog } from "@galley/engine/logs";
import { lostNames } from "@galley/engine/proof";
import { wireProviders } from "@galley/engine/wire";
import { describe, expect, test } from "vitest";
import { rawCounts } from "../../testing/raw-log-counts.ts";

// Logs of other people's agents are not ours to publish: these tests run where the corpus is.
const corpus = process.env["GALLEY_CORPUS"];
const at = (...parts: readonly string[]): string => join(corpus ?? "", "logs", ...parts);

interface ReadFile extends LogSummary {
  readonly file: string;
  readonly logs: ReadonlyMap<string, readonly SessionEntry[]>;
}

function read(format: string, file: string): ReadFile {
  const text = readFileSync(at(format, file), "utf8");
  const log = readLog({ name: file });
  const logs = new Map<string, SessionEntry[]>();
  const take = ({ entries }: Pick<LogSummary, "entries">): void => {
    for (const { session, entry } of entries) logs.set(session, [...(logs.get(session) ?? []), entry]);
  };
  for (let from = 0; from < text.length; from += 100_000) take(log.push(text.slice(from, from + 100_000)));
  const summary = log.end();
  take(summary);
  return { file, logs, ...summary };
}

const kinds = ["messages", "calls", "results", "usage", "compactions", "custom"] as const;
const sum = (summary: LogSummary, kind: keyof LogSummary["sessions"][number]["counts"]): number =>
  summary.sessions.reduce((total, { counts }) => total + counts[kind], 0);

/** Counted in another way than the readers do: over the raw text, without a parser of the format. */
const raw: Readonly<
  Record<Exclude<LogFormat, "galley">, (text: string) => readonly [calls: number, results: number, compactions: number]>
> = {
  "claude-code": (text) => {
    // Progress records repeat what a sub-agent said so far, with the same ids.
    const ids = (pattern: RegExp): number => new Set([...text.matchAll(pattern)].map(([, id]) => id)).size;
    const boundaries = text.match(/"subtype":"(?:micro)?compact_boundary"/g)?.length ?? 0;
    return [ids(/"type":"tool_use","id":"([^"]+)"/g), ids(/"tool_use_id":"([^"]+)"/g), boundaries];
  },
  codex: (text) => [
    text.match(/"payload":\{[^{}]*"type":"(?:function_call|custom_tool_call)"/g)?.length ?? 0,
    text.match(/"payload":\{"type":"(?:function_call|custom_tool_call)_output"/g)?.length ?? 0,
    text.match(/"type":"compacted"/g)?.length ?? 0,
  ],
  pi: (text) => [
    text.match(/"type":"toolCall"/g)?.length ?? 0,
    text.match(/"role":"toolResult"/g)?.length ?? 0,
    text.match(/"type":"compaction"/g)?.length ?? 0,
  ],
  opencode: (text) => [
    text.match(/"type": ?"tool",/g)?.length ?? 0,
    text.match(/"status": ?"(?:completed|error)",\s*"input"/g)?.length ?? 0,
    0,
  ],
  "gemini-cli": (text) => {
    const calls = text.match(/"resultDisplay"/g)?.length ?? 0;
    return [calls, calls, 0];
  },
  "copilot-cli": (text) => [
    text.match(/"type":"tool\.execution_start"/g)?.length ?? 0,
    text.match(/"type":"tool\.execution_complete"/g)?.length ?? 0,
    0,
  ],
};

describe.skipIf(corpus === undefined)("the corpus of logs", () => {
  const formats = logFormats.filter((format) => format !== "galley");
  const files = (): readonly (readonly [Exclude<LogFormat, "galley">, string])[] =>
    formats.flatMap((format) =>
      readdirSync(at(format))
        .filter((file) => !file.endsWith(".meta.json"))
        .map((file) => [format, file] as const),
    );

  test("[L1] every file of the formats comes in whole, each figure counted in another way", () => {
    const rows = files().map(([format, file]) => {
      const summary = read(format, file);
      const text = readFileSync(at(format, file), "utf8");
      const figure = (kind: Parameters<typeof sum>[1]): number => sum(summary, kind);
      const [calls, results, compactions] = raw[format](text);
      const [messages, usage, custom, damaged] = rawCounts(format, text);
      const own = [...kinds.map(figure), summary.damaged];
      expect([file, summary.format, summary.isTorn, ...own]).toEqual([
        file,
        format,
        false,
        messages,
        calls,
        results,
        usage,
        compactions,
        custom,
        damaged,
      ]);
      return [format.padEnd(12), ...own.map((count) => String(count).padStart(13)), `  ${file}`].join("");
    });
    const titles = [...kinds, "damaged"].map((kind) => kind.padStart(13)).join("");
    process.stdout.write(`${"".padEnd(12)}${titles}  file\n${rows.join("\n")}\n`);
    expect(rows.length).toBeGreaterThan(0);
  });

  test("[L4] every session can be continued: the same digest again and after export, valid for all wires", async () => {
    const tokenizer = await loadTokenizer("o200k_base");
    const next = { role: "user", content: "Go on.", id: "next", ts: 1 } as const;
    const buildOf = async (sessionEntries: readonly SessionEntry[]): Promise<Build> => {
      const manager = new ContextManager({ config: { maxInputTokens: 64_000 }, tokenizer });
      return (await manager.buildContext({ sessionEntries, inputMessages: [next] })).build;
    };
    let sessions = 0;
    for (const [format, file] of files()) {
      for (const [id, entries] of read(format, file).logs) {
        const first = await buildOf(entries);
        const exported = parseSession(formatSession(entries)).entries;
        const digests = [first, await buildOf(entries), await buildOf(exported)].map((build) => digestOf(build));
        expect([id, new Set(digests).size]).toEqual([id, 1]);
        for (const wire of wireProviders) expect(() => exportFor(wire, first), `${id}, ${wire}`).not.toThrow();
        sessions += 1;
      }
    }
    expect(sessions).toBeGreaterThanOrEqual(30);
  });

  test("[R4] of the names that were used again, Claude Code's own summaries held 84 of 188", () => {
    const losses = files()
      .filter(([format]) => format === "claude-code")
      .flatMap(([format, file]) => [...read(format, file).logs.values()].flatMap((entries) => lostNames(entries)));
    expect(losses.reduce((total, { survived }) => total + survived, 0)).toBe(84);
    expect(losses.reduce((total, { usedAgain }) => total + usedAgain, 0)).toBe(188);
  });
});
