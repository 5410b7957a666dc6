import fc from "fast-check";
import { expect, test } from "vitest";
import { groupFinder, groupStarts } from "./groups.ts";
import { groupedHistory, runs } from "./testing/history.ts";
import type { ModelMessage } from "./messages.ts";

const itself = (message: ModelMessage): ModelMessage => message;
const user: ModelMessage = { role: "user", content: "go" };
const say: ModelMessage = { role: "assistant", content: "working on it" };
const call = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "t", input: {} })),
});
const result = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "t",
    output: { type: "text", value: "ok" },
  })),
});

test.each<[string, ModelMessage[], number[]]>([
  ["plain messages stand alone", [user, say, user], [0, 1, 2]],
  ["a call and its result are one", [user, call("a"), result("a"), say], [0, 1, 3]],
  ["parallel calls answered one by one are one", [call("a", "b", "c"), result("c"), result("a"), result("b")], [0]],
  ["what stands between a call and its late result belongs to both", [user, call("a"), say, result("a")], [0, 1]],
  ["an id that is used again pairs with the nearest call", [call("a"), result("a"), call("a"), result("a")], [0, 2]],
  ["a call of an earlier turn is not answered by a later result", [call("a"), user, call("a"), result("a")], [0, 1, 2]],
  ["a result without a call stands alone", [user, result("x"), say], [0, 1, 2]],
  ["a call without a result stands alone", [user, call("a"), say, user], [0, 1, 2, 3]],
  ["an id that is open twice is answered nearest first", [call("a"), say, call("a"), result("a"), say], [0, 1, 2, 4]],
  ["nested calls close in any order", [call("a"), call("b"), result("b"), result("a"), say], [0, 4]],
])("[M4] %s", (_, messages, starts) => {
  expect(groupStarts(messages, itself)).toEqual(starts);
});

test("[M4] an approval belongs to its call", () => {
  const messages: ModelMessage[] = [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "a", toolName: "t", input: {} },
        { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
    result("a"),
  ];
  expect(groupStarts(messages, itself)).toEqual([0]);
});

test("[M4] groups are found as they were made, and looking up one reads the same as reading all", () => {
  fc.assert(
    fc.property(groupedHistory, (groups) => {
      const messages = groups.flat();
      const starts = groupStarts(messages, itself);
      let next = 0;
      const made = groups.map((group) => (next += group.length) - group.length);
      const find = groupFinder(messages, itself);
      const found = messages.map((_, index) => find(index));
      const expected = messages.map((_, index) => made.findLast((start) => start <= index));
      return String(starts) === String(made) && String(found) === String(expected);
    }),
    runs,
  );
});

test("[M4] 100,000 results of one message are paired without a pause", () => {
  const ids = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
  const messages = [call(...ids), ...ids.map((id) => result(id))];
  expect(groupStarts(messages, itself)).toEqual([0]);
});
