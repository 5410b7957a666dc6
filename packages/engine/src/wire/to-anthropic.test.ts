import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage, ToolResultOutput, UserPart } from "../model/messages.ts";
import { pdf, png } from "./arbitrary-messages.test-support.ts";
import { toAnthropic } from "./to-anthropic.ts";

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
    ["moved-behind-results", "merged", "reordered", "system-as-user", "merged"],
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

const image = (source: object): object => ({ type: "image", source });
const files: readonly (readonly [string, UserPart, object])[] = [
  ["an image as base64", { type: "image", image: png }, image({ type: "base64", media_type: "image/png", data: png })],
  [
    "an image as bytes",
    { type: "image", image: Uint8Array.from([255, 216, 255, 224]) },
    image({ type: "base64", media_type: "image/jpeg", data: "/9j/4A==" }),
  ],
  ["an image by URL", { type: "image", image: "https://a.b/c.gif" }, image({ type: "url", url: "https://a.b/c.gif" })],
  [
    "an image as a data URL",
    { type: "image", image: "data:image/webp;base64,UklGRg==" },
    image({ type: "base64", media_type: "image/webp", data: "UklGRg==" }),
  ],
  ["an uploaded image", { type: "image", image: { anthropic: "file_1" } }, image({ type: "file", file_id: "file_1" })],
  [
    "a file that is an image",
    { type: "file", data: png, mediaType: "image/*" },
    image({ type: "base64", media_type: "image/png", data: png }),
  ],
  [
    "a PDF",
    { type: "file", data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf }, title: "a.pdf" },
  ],
  [
    "a PDF by URL",
    { type: "file", data: "https://a.b/c.pdf", mediaType: "application/pdf" },
    { type: "document", source: { type: "url", url: "https://a.b/c.pdf" } },
  ],
  [
    "a text file",
    { type: "file", data: "5L2g5aW9", mediaType: "text/markdown" },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "你好" } },
  ],
  [
    "text in a data URL",
    { type: "file", data: "data:text/plain,%E4%BD%A0", mediaType: "text/plain" },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "你" } },
  ],
];
test.each(files)("[P5] %s", (_name, part, expected) => {
  const { request, problems } = toAnthropic({ messages: [{ role: "user", content: [part] }] });
  expect(problems).toEqual([]);
  expect(request.messages[0]?.content).toEqual([expected]);
});

const refused: readonly (readonly [string, UserPart])[] = [
  ["an image of an unknown type", { type: "image", image: "AAAA" }],
  ["an SVG", { type: "image", image: "data:image/svg+xml,%3Csvg/%3E" }],
  ["sound", { type: "file", data: "AAAA", mediaType: "audio/wav" }],
  ["a file of another provider", { type: "file", data: { openai: "file-1" }, mediaType: "application/pdf" }],
  ["a local file", { type: "image", image: "file:///tmp/a.png" }],
  ["a text by URL", { type: "file", data: "https://a.b/c.txt", mediaType: "text/plain" }],
];
test.each(refused)("[P5] %s is a problem with its path", (_name, part) => {
  const { problems } = toAnthropic({ messages: [hi, { role: "user", content: [{ type: "text", text: "x" }, part] }] });
  expect(problems).toMatchObject([{ code: "WireInvalid", severity: "error", path: "messages[1].content[1]" }]);
});

const outputs: readonly (readonly [ToolResultOutput, object])[] = [
  [{ type: "text", value: "x" }, { content: "x" }],
  [{ type: "text", value: " " }, {}],
  [{ type: "json", value: { a: [1] } }, { content: '{"a":[1]}' }],
  [
    { type: "error-text", value: "no" },
    { content: "no", is_error: true },
  ],
  [
    { type: "error-json", value: null },
    { content: "null", is_error: true },
  ],
  [
    { type: "execution-denied", reason: "not now" },
    { content: "not now", is_error: true },
  ],
  [{ type: "execution-denied" }, { content: "The tool was not run: its execution was denied.", is_error: true }],
  [
    {
      type: "content",
      value: [
        { type: "text", text: "x" },
        { type: "image-data", data: png, mediaType: "image/png" },
      ],
    },
    { content: [said("x"), image({ type: "base64", media_type: "image/png", data: png })] },
  ],
  [
    { type: "content", value: [{ type: "image-file-id", fileId: "file_1" }] },
    { content: [image({ type: "file", file_id: "file_1" })] },
  ],
];
test.each(outputs)("[P5] a result of %j", (output, expected) => {
  const { request, problems } = toAnthropic({
    messages: [
      hi,
      { role: "assistant", content: [call("a")] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output }] },
    ],
  });
  expect(problems).toEqual([]);
  expect(request.messages[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "a", ...expected }]);
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

describe("cache breakpoints", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const tools = [{ name: "f", inputSchema: { type: "object" } }];
  const messages: ModelMessage[] = [
    { role: "system", content: "S" },
    hi,
    { role: "assistant", content: [{ type: "text", text: "x" }, call("a")] },
    answer("a"),
    { role: "user", content: "more" },
  ];

  test("[P5] each marks the last block of its message, also inside a joined message", () => {
    const { request } = toAnthropic({ messages, tools, cacheBreakpoints: [0, 3] });
    expect(request.system).toEqual([{ ...said("S"), ...mark }]);
    expect(request.messages[2]).toEqual(user({ ...result("a"), ...mark }, said("more")));
    expect(JSON.stringify(request).match(/cache_control/g)).toHaveLength(2);
  });

  test("[P5] where a message left nothing behind, what comes before it is marked; at the very front, the tools", () => {
    const blank: ModelMessage = { role: "system", content: "" };
    const { request } = toAnthropic({ messages: [blank, hi], tools, cacheBreakpoints: [0] });
    expect(request.tools).toEqual([{ name: "f", input_schema: { type: "object" }, ...mark }]);
  });

  test("[P5] thinking is not marked", () => {
    const content: AssistantPart[] = [
      { type: "text", text: "x" },
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
    ];
    const { request } = toAnthropic({
      messages: [hi, { role: "assistant", content }, { role: "assistant", content: "y" }],
      cacheBreakpoints: [1],
    });
    expect(request.messages[1]?.content[0]).toEqual({ ...said("x"), ...mark });
  });

  test("[P5] a breakpoint at no message is a problem", () => {
    expect(toAnthropic({ messages, cacheBreakpoints: [1, 9] }).problems).toMatchObject([
      { path: "cacheBreakpoints[1]" },
    ]);
  });

  test("[P5] what is appended later does not change what was marked before", () => {
    const before = toAnthropic({ messages, cacheBreakpoints: [3] }).request;
    const after = toAnthropic({
      messages: [...messages, { role: "assistant", content: [call("a")] }, answer("a")],
      cacheBreakpoints: [3],
    }).request;
    expect(after.messages.slice(0, 3)).toEqual(before.messages.slice(0, 3));
  });
});
