import { expect, test } from "vitest";
import type { SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { view } from "./view.ts";

const message = (id: string, content: ModelMessage = { role: "user", content: id }): SessionEntry => ({
  id,
  ts: 0,
  type: "message",
  message: content,
});
const compaction = (id: string, firstKeptEntryId: string | null): SessionEntry => ({
  id,
  ts: 0,
  type: "compaction",
  firstKeptEntryId,
  summary: `summary ${id}`,
});
const ids = (entries: readonly SessionEntry[]): string[] => entries.map((entry) => entry.id);

test("[M5] the view is the last compaction, what it kept, then everything after it", () => {
  const seen = view([
    message("a"),
    message("b"),
    compaction("c1", "b"),
    message("c"),
    compaction("c2", "c"),
    message("d"),
  ]);
  expect(ids(seen.messages)).toEqual(["c", "d"]);
  expect(seen.compaction?.id).toBe("c2");
  expect(seen.dropped.count).toBe(2);
});

test("[M5] a compaction that keeps nothing leaves only what comes after it", () => {
  expect(ids(view([message("a"), compaction("c", null), message("b")]).messages)).toEqual(["b"]);
});

test("[F15] a later compaction that points further back brings messages back", () => {
  const seen = view([message("a"), message("b"), compaction("c1", "b"), compaction("c2", "a")]);
  expect(ids(seen.messages)).toEqual(["a", "b"]);
});

test("[M5] a compaction that keeps from nowhere is reported", () => {
  expect(view([message("a"), compaction("c", "gone"), message("b")]).problems[0]).toMatchObject({ path: "c" });
});

const branchOf = (id: string, parentId?: string | null): SessionEntry =>
  parentId === undefined ? message(id) : { ...message(id), parentId };

test.each<[string, SessionEntry[], string | undefined, string[]]>([
  ["without parents the log is the path", [branchOf("a"), branchOf("b")], undefined, ["a", "b"]],
  [
    "a sibling replaces what it is a sibling of",
    [branchOf("a"), branchOf("b"), branchOf("b2", "a"), branchOf("c")],
    undefined,
    ["a", "b2", "c"],
  ],
  ["another leaf may be named", [branchOf("a"), branchOf("b"), branchOf("b2", "a")], "b", ["a", "b"]],
  ["null makes a new root", [branchOf("a"), branchOf("b", null), branchOf("c")], undefined, ["b", "c"]],
])("[M6] %s", (_, entries, leaf, expected) => {
  const path = view(entries, leaf === undefined ? {} : { leafId: leaf });
  expect(ids(path.messages)).toEqual(expected);
  expect(path.problems).toEqual([]);
});

test.each<[string, SessionEntry[], string | undefined]>([
  ["a parent that does not exist", [branchOf("a"), branchOf("b", "gone")], undefined],
  ["a parent that comes later", [branchOf("a"), branchOf("b", "c"), branchOf("c", "b")], undefined],
  ["a leaf that does not exist", [branchOf("a")], "gone"],
])("[M6] %s is tolerated and reported", (_, entries, leaf) => {
  expect(view(entries, leaf === undefined ? {} : { leafId: leaf }).problems[0]).toMatchObject({
    severity: "warning",
    code: "UnknownReference",
  });
});

test("[M6] a compaction on another branch does not count", () => {
  const seen = view([message("a"), compaction("c", null), { ...message("b"), parentId: "a" }]);
  expect(ids(seen.messages)).toEqual(["a", "b"]);
});

test("[M7] redacted content leaves the view, and calls stay paired with results", () => {
  const call: ModelMessage = {
    role: "assistant",
    content: [
      { type: "text", text: "secret" },
      { type: "tool-call", toolCallId: "1", toolName: "read", input: { path: "secret" } },
    ],
  };
  const result: ModelMessage = {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "read", output: { type: "text", value: "secret" } }],
  };
  const redact = (entryId: string): SessionEntry => ({ id: `r-${entryId}`, ts: 0, type: "redact", entryId });
  const seen = view([
    message("a", { role: "user", content: "secret" }),
    message("b", call),
    message("c", result),
    message("d"),
    redact("a"),
    redact("b"),
    redact("c"),
  ]);
  expect(seen.redacted).toEqual([{ id: "a", at: 0 }]);
  expect(ids(seen.messages)).toEqual(["b", "c", "d"]);
  expect(JSON.stringify(seen.messages)).not.toContain("secret");
  expect(seen.messages[1]?.message).toMatchObject({ content: [{ toolCallId: "1", output: { value: "[redacted]" } }] });
});
