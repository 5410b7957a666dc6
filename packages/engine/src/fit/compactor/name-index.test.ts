import { expect, test } from "vitest";
import type { NameRow } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { countTokens } from "../testing/compactor-fixture.ts";
import { type UnreadMessage, growIndex as growSteps } from "./name-index.ts";
import { runWhole } from "./run-paused.ts";
import { namesShower } from "./show-names.ts";

const options = { maxRows: 1000, window: 8000 };
const unread = (role: "user" | "assistant", content: string, ordinal: number): UnreadMessage => ({
  message: { role, content },
  tokens: 100,
  ordinal,
});
const result = (toolName: string, value: string, ordinal: number): UnreadMessage => ({
  message: {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName, output: { type: "text", value } }],
  },
  tokens: 100,
  ordinal,
});
const namesOf = (rows: readonly NameRow[]): string[] => rows.map(([name]) => name);
const show = (rows: readonly NameRow[], sent: readonly ModelMessage[] = [], maxTokens = 500): string =>
  namesShower({ rows, tokens: 0 }, { sent, countTokens }).show("", maxTokens);

const growIndex = (...given: Parameters<typeof growSteps>) => runWhole(growSteps(...given));

test("[R3] what people and models said ranks before what was only read, and the new before the old", () => {
  const { rows, tokens } = growIndex(
    undefined,
    [
      unread("user", "mend old_rope", 1),
      result("read", "read_only read_only", 2),
      ...Array.from({ length: 9 }, (_, at) => unread("assistant", "nothing", at + 3)),
      unread("assistant", "new_rope", 12),
    ],
    { ...options, window: 200 },
  );
  expect(rows).toEqual([
    ["new_rope", 1, 1, 1200, 12],
    ["old_rope", 1, 1, 100, 1],
    ["read_only", 0, 1, 200, 2],
  ]);
  expect(tokens).toBe(1200);
});

test("[R3] an index that grows is the index of the whole log, as long as it holds all names", () => {
  const log = Array.from({ length: 30 }, (_, at) =>
    unread(at % 2 ? "user" : "assistant", `f_${at % 7} g_${at}`, at + 1),
  );
  const once = growIndex(undefined, log, options);
  const first = growIndex(undefined, log.slice(0, 11), options);
  expect(growIndex(first, log.slice(11), options)).toEqual(once);
  expect(growIndex(undefined, log, { ...options, maxRows: 5 }).rows).toEqual(once.rows.slice(0, 5));
});

test("[R3] hashes, keys, drawn ids and times of day are not kept; short hashes, ports with a host and versions are", () => {
  const drawn = "4f2a9c1e8b7d6a5f4e3d2c1b 123e4567-e89b-12d3-a456-426614174000 12:30:05 2026-01-23T14:30:00Z";
  const key = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l";
  const { rows } = growIndex(
    undefined,
    [unread("user", `${drawn} ${key} 9fce123 localhost:8080 v1.2.345`, 1)],
    options,
  );
  expect(namesOf(rows).toSorted()).toEqual(["9fce123", "localhost:8080", "v1.2.345"]);
});

test("[R3] what was recalled is not indexed again", () => {
  const { rows } = growIndex(
    undefined,
    [unread("user", "mast_head", 1), result("context_recall", "mast_head", 9)],
    options,
  );
  expect(rows).toEqual([["mast_head", 1, 1, 100, 1]]);
});

test("[R3] names that stood near each other share a handle, and those of one message are not parted", () => {
  const rows = Array.from({ length: 60 }, (_, at): NameRow => [`name_${at + 10}`, 1, 1, at, at < 30 ? 4 : at]);
  const lines = show(rows, [], 2000).split("\n");
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["Names,", "§4", "§30–§53", "§54–§59"]);
  expect(lines.slice(1).flatMap((line) => line.split(" ").slice(1))).toEqual(rows.map(([name]) => name));
});

test("[R3] what is sent anyway, and what a path that is shown tells as well, has no place in the index", () => {
  const rows: NameRow[] = ["src/hull.ts", "raiseSail", "docs/deck/mast.md", "mast.md", "docs/deck"].map((name) => [
    name,
    1,
    1,
    0,
    3,
  ]);
  const sent: ModelMessage[] = [{ role: "user", content: "open /home/ada/src/hull.ts" }];
  expect(show(rows, sent)).toBe("Names, by where they stood last:\n§3 docs/deck/mast.md raiseSail");
});

test("[R3] the index keeps to its tokens, and is nothing where there are no names or no room", () => {
  const rows = Array.from({ length: 200 }, (_, at): NameRow => [`name_${at}`, 1, 1, at, at + 1]);
  for (const maxTokens of [0, 10, 40, 100, 300]) {
    expect(countTokens(show(rows, [], maxTokens))).toBeLessThanOrEqual(maxTokens);
  }
  expect(show(rows, [], 5)).toBe("");
  expect(show([])).toBe("");
});

test("[R5] of a picture or a file that a tool gave only its name is read, and never its bytes", () => {
  const data = "dGhlIGhVbGwgbGVha3Mg".repeat(40);
  const output = {
    type: "content" as const,
    value: [
      { type: "text" as const, text: "see drawn_hull" },
      { type: "image-data" as const, data, mediaType: "image/png" },
      { type: "file-data" as const, data, mediaType: "application/pdf", filename: "plans/hull.pdf" },
    ],
  };
  const content = [{ type: "tool-result" as const, toolCallId: "1", toolName: "look", output }];
  const { rows } = growIndex(undefined, [{ message: { role: "tool", content }, tokens: 100, ordinal: 1 }], options);
  expect(namesOf(rows).toSorted()).toEqual(["drawn_hull", "plans/hull.pdf"]);
});
