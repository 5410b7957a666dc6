import { expect, test } from "vitest";
import type { CompactionEntry, MessageEntry, SessionEntry } from "../model/entries.ts";
import { lostNames } from "./lost.ts";
import { namesIn } from "../model/names.ts";

const said = (id: string, role: "user" | "assistant", content: string): MessageEntry => ({
  id,
  ts: 0,
  type: "message",
  message: { role, content },
});
const cut = (id: string, fields: Partial<CompactionEntry> = {}): CompactionEntry => ({
  id,
  ts: 0,
  type: "compaction",
  firstKeptEntryId: null,
  ...fields,
});

test("[R4] a name is lost when a reply uses it again and the window does not show it", () => {
  const log: SessionEntry[] = [
    said("a", "user", "Mend src/hull.ts and src/mast.ts, port 8080"),
    said("b", "assistant", "They call raiseSail."),
    cut("c", { summary: "Mend src/mast.ts.", summarisedBy: "claude-code" }),
    said("d", "user", "Mind the raiseSail call."),
    said("e", "assistant", "src/hull.ts, src/mast.ts and raiseSail"),
    said("f", "assistant", "src/hull.ts again, on 8080"),
  ];
  expect(lostNames(log)).toEqual([
    {
      entryId: "c",
      ts: 0,
      by: "claude-code",
      usedAgain: 2,
      survived: 1,
      lost: [{ name: "src/hull.ts", stoodIn: "a", stoodAt: 1, neededBy: "e", neededAt: 4, after: 2, uses: 2 }],
    },
  ]);
});

test("[R4] what a compaction keeps or carries is there, and a result that it cleared is not", () => {
  const result = (id: string, value: string): MessageEntry => ({
    ...said(id, "user", ""),
    message: {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value } }],
    },
  });
  const log: SessionEntry[] = [
    said("a", "user", "see keel_plan"),
    result("r1", "bolt_size"),
    result("r2", "rope_length"),
    cut("c", {
      firstKeptEntryId: "r1",
      shrunk: [{ entryId: "r1", part: 0, keep: 0 }],
      carried: [said("x", "user", "keel_plan")],
    }),
    said("e", "assistant", "keel_plan, bolt_size, rope_length"),
  ];
  expect(lostNames(log)).toMatchObject([{ usedAgain: 3, survived: 2, lost: [{ name: "bolt_size", stoodIn: "r1" }] }]);
});

test("[R4] only the active path counts, and a log without a compaction lost nothing", () => {
  const log: SessionEntry[] = [said("a", "user", "src/hull.ts"), cut("c"), said("e", "assistant", "src/hull.ts")];
  expect(lostNames([...log, { ...said("f", "user", "Hello"), parentId: "a" }])).toEqual([]);
  expect(lostNames([said("a", "user", "src/hull.ts")])).toEqual([]);
});

test.each([
  ["src/hull.ts:12, and/or", ["src/hull.ts:12", "and/or"]],
  ["raiseSail() MAX_ROPE 12345 v1.2", ["raiseSail", "MAX_ROPE", "12345"]],
  ["plain words only, nothing else", []],
  ["“src/keel.ts.”", ["src/keel.ts"]],
])("[R4] the names in %j", (text, names) => {
  expect([...namesIn(text)]).toEqual(names);
});

test("[L7b] [R4] what Galley reminded an agent of before its next reply counts as shown", () => {
  const text = "[Galley: names from before the compaction] For reference.\n§k7qf2m-1 src/hull.ts";
  const record = { type: "attachment", attachment: { type: "hook_additional_context", content: [text] } };
  const kind = "claude-code/attachment/hook_additional_context";
  const log = (reminder: readonly SessionEntry[]): SessionEntry[] => [
    said("a", "user", "Mend src/hull.ts and src/mast.ts"),
    cut("c", { summary: "They mend.", summarisedBy: "claude-code" }),
    ...reminder,
    said("e", "assistant", "src/hull.ts and src/mast.ts"),
  ];
  const figures = (reminder: readonly SessionEntry[]): unknown =>
    lostNames(log(reminder)).map(({ usedAgain, survived }) => [usedAgain, survived]);
  expect(figures([])).toEqual([[2, 0]]);
  expect(figures([{ id: "h", ts: 0, type: "custom", kind, record }])).toEqual([[2, 1]]);
  expect(figures([{ id: "h", ts: 0, type: "message", message: { role: "system", content: text } }])).toEqual([[2, 1]]);
});
