import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage } from "../../model/messages.ts";
import { toAnthropic } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const said = (text: string): object => ({ type: "text", text });
const user = (...content: object[]): object => ({ role: "user", content });
const assistant = (...content: object[]): object => ({ role: "assistant", content });
const call = (toolCallId: string): AssistantPart => ({ type: "tool-call", toolCallId, toolName: "f", input: { a: 1 } });
const use = (id: string): object => ({ type: "tool_use", id, name: "f", input: { a: 1 } });
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const answer = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "f",
    output: { type: "text", value: "ok" },
  })),
});

const cases: readonly (readonly [string, ModelMessage[], object[], string[]])[] = [
  [
    "a plain conversation",
    [hi, { role: "assistant", content: "yes" }, hi],
    [user(said("hi")), assistant(said("yes")), user(said("hi"))],
    [],
  ],
  [
    "neighbours of one role are one message",
    [hi, { role: "user", content: "there" }],
    [user(said("hi"), said("there"))],
    ["merged"],
  ],
  [
    "a conversation that the assistant begins",
    [{ role: "assistant", content: "welcome" }],
    [user(said("Begin.")), assistant(said("welcome"))],
    ["filler-added"],
  ],
  [
    "a system message in the middle",
    [hi, { role: "system", content: "Be kind." }],
    [user(said("hi"), said("<system>\nBe kind.\n</system>"))],
    ["system-as-user", "merged"],
  ],
  [
    "blank texts",
    [
      hi,
      { role: "assistant", content: " \n" },
      {
        role: "user",
        content: [
          { type: "text", text: "" },
          { type: "text", text: "x" },
        ],
      },
    ],
    [user(said("hi"), said("x"))],
    ["empty-left-out", "empty-left-out", "merged"],
  ],
  [
    "white space at the end of a prefill",
    [hi, { role: "assistant", content: "The answer is \n" }],
    [user(said("hi")), assistant(said("The answer is"))],
    ["trailing-space-trimmed"],
  ],
  [
    "parallel calls have all results in the next message, in front",
    [
      hi,
      { role: "assistant", content: [call("a"), call("b")] },
      answer("b"),
      answer("a"),
      { role: "user", content: "and?" },
    ],
    [user(said("hi")), assistant(use("a"), use("b")), user(result("a"), result("b"), said("and?"))],
    ["merged"],
  ],
  [
    "ids that are used again",
    [
      hi,
      { role: "assistant", content: [call("a")] },
      answer("a"),
      { role: "assistant", content: [call("a")] },
      answer("a"),
    ],
    [user(said("hi")), assistant(use("a")), user(result("a")), assistant(use("a_2")), user(result("a_2"))],
    ["id-changed"],
  ],
  [
    "ids that are used twice in one message",
    [hi, { role: "assistant", content: [call("a"), call("a")] }, answer("a", "a")],
    [user(said("hi")), assistant(use("a"), use("a_2")), user(result("a"), result("a_2"))],
    ["id-changed"],
  ],
  [
    "strange ids do not fall together",
    [hi, { role: "assistant", content: [call("a/b"), call("a.b"), call("")] }, answer("a/b", "a.b", "")],
    [
      user(said("hi")),
      assistant(use("a_b"), use("a_b_2"), use("call")),
      user(result("a_b"), result("a_b_2"), result("call")),
    ],
    ["id-changed", "id-changed", "id-changed"],
  ],
  [
    "what stands between a call and its result",
    [
      hi,
      { role: "assistant", content: [call("a")] },
      { role: "system", content: "S" },
      { role: "assistant", content: "wait" },
      answer("a"),
    ],
    [user(said("hi")), assistant(said("wait"), use("a")), user(result("a"), said("<system>\nS\n</system>"))],
    ["moved-behind-results", "merged", "reordered", "system-as-user"],
  ],
];

describe("messages", () => {
  test.each(cases)("[P5] %s", (_name, messages, expected, notes) => {
    const made = toAnthropic({ messages });
    expect(made.request.messages).toEqual(expected);
    expect(made.notes.map(({ what }) => what)).toEqual(notes);
    expect(made.problems).toEqual([]);
  });
});

test("[P5] system messages at the front become the system prompt, a block each", () => {
  const { request } = toAnthropic({
    messages: [
      { role: "system", content: "A" },
      { role: "system", content: " " },
      { role: "system", content: "B" },
      hi,
    ],
  });
  expect(request).toEqual({ system: [said("A"), said("B")], messages: [user(said("hi"))] });
});

test("[P5] system messages alone get a short user message", () => {
  const { request } = toAnthropic({ messages: [{ role: "system", content: "Greet the user." }] });
  expect(request.messages).toEqual([user(said("Begin."))]);
});

const thoughts: readonly (readonly [string, AssistantPart[], object[]])[] = [
  [
    "signed",
    [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
      { type: "text", text: "x" },
    ],
    [{ type: "thinking", thinking: "hm", signature: "s" }, said("x")],
  ],
  [
    "redacted",
    [
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "d" } } },
      { type: "text", text: "x" },
    ],
    [{ type: "redacted_thinking", data: "d" }, said("x")],
  ],
  [
    "unsigned",
    [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "x" },
    ],
    [said("x")],
  ],
  [
    "another provider's",
    [
      { type: "reasoning", text: "hm", providerOptions: { openai: { itemId: "rs_1" } } },
      { type: "text", text: "x" },
    ],
    [said("x")],
  ],
  [
    "at the end",
    [
      { type: "text", text: "x" },
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
    ],
    [said("x")],
  ],
];
test.each(thoughts)("[P5] reasoning: %s", (_name, content, expected) => {
  const { request, notes } = toAnthropic({ messages: [hi, { role: "assistant", content }] });
  expect(request.messages[1]?.content).toEqual(expected);
  expect(notes.map(({ what }) => what)).toEqual(expected.length < content.length ? ["reasoning-left-out"] : []);
});

test("[P5] approvals, provider-executed calls and custom parts are left out, and that is said", () => {
  const { request, notes } = toAnthropic({
    messages: [
      hi,
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "s", toolName: "web_search", input: {}, providerExecuted: true },
          { type: "tool-result", toolCallId: "s", toolName: "web_search", output: { type: "json", value: [] } },
          { type: "custom", kind: "openai.compaction" },
          call("a"),
          { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
      answer("a"),
    ],
  });
  expect(request.messages).toEqual([user(said("hi")), assistant(use("a")), user(result("a"))]);
  expect(notes).toEqual([
    { message: 1, part: 0, what: "provider-executed-left-out" },
    { message: 1, part: 1, what: "provider-executed-left-out" },
    { message: 1, part: 2, what: "custom-left-out", detail: "openai.compaction" },
    { message: 1, part: 4, what: "approval-left-out" },
    { message: 2, part: 0, what: "approval-left-out" },
  ]);
});

test("[P5] arguments are an object: text is parsed, anything else is wrapped", () => {
  const content = ['{"a":1}', "", undefined, [1], "no JSON"].map((input, index): AssistantPart => ({
    type: "tool-call",
    toolCallId: `c${index}`,
    toolName: "f",
    input,
  }));
  const { request, notes } = toAnthropic({
    messages: [hi, { role: "assistant", content }, answer("c0", "c1", "c2", "c3", "c4")],
  });
  const inputs = request.messages[1]?.content.map((block) => (block.type === "tool_use" ? block.input : undefined));
  expect(inputs).toEqual([{ a: 1 }, {}, {}, { value: [1] }, { value: "no JSON" }]);
  expect(notes.map(({ what, part }) => [what, part])).toEqual([
    ["input-wrapped", 3],
    ["input-wrapped", 4],
  ]);
});
