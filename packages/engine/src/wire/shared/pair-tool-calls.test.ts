import { expect, test } from "vitest";
import type { AssistantPart, ModelMessage, ToolPart } from "../../model/messages.ts";
import { pairToolCalls } from "./pair-tool-calls.ts";
import { wireReport } from "./wire-report.ts";

const calls = (...names: string[]): ModelMessage => ({
  role: "assistant",
  content: names.map((toolName): AssistantPart => ({ type: "tool-call", toolCallId: "a", toolName, input: {} })),
});
const results = (...names: string[]): ModelMessage => ({
  role: "tool",
  content: names.map((toolName): ToolPart => ({
    type: "tool-result",
    toolCallId: "a",
    toolName,
    output: { type: "text", value: "" },
  })),
});
const user: ModelMessage = { role: "user", content: "hi" };

// All calls have the same id; the numbers say which call, in order, each result belongs to.
const cases: readonly (readonly [string, ModelMessage[], (number | undefined)[]])[] = [
  ["in one message the first open call comes first", [calls("f", "f"), results("f", "f")], [1, 2]],
  ["in one message the name decides", [calls("f", "g"), results("g", "f")], [2, 1]],
  ["the nearest message comes first", [calls("f"), calls("f"), results("f", "f")], [2, 1]],
  ["each turn has its own", [calls("f"), results("f"), user, calls("f"), results("f")], [1, 2]],
  ["a user message ends the search", [calls("f"), user, results("f")], [undefined]],
  ["a result answers once", [calls("f"), results("f", "f")], [1, undefined]],
];
test.each(cases)("[P5] [M4] %s", (_name, messages, expected) => {
  const pairing = pairToolCalls(messages, {}, wireReport());
  const found = messages.flatMap(({ role, content }, message) =>
    role === "tool" && typeof content !== "string"
      ? content.map((_, index) => pairing.callOf({ message, index })?.order)
      : [],
  );
  expect(found).toEqual(expected);
});
