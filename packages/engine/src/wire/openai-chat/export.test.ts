import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage, ToolResultOutput, UserPart } from "../../model/messages.ts";
import { pdf, png } from "../testing/arbitrary-messages.ts";
import { toOpenAiChat } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const call = (toolCallId: string): AssistantPart => ({ type: "tool-call", toolCallId, toolName: "f", input: { a: 1 } });
const called = (id: string): object => ({ type: "function", id, function: { name: "f", arguments: '{"a":1}' } });
const answered = (tool_call_id: string, content = "ok"): object => ({ role: "tool", tool_call_id, content });
const answer = (toolCallId: string, output: ToolResultOutput = { type: "text", value: "ok" }): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "f", output }],
});
const long = "x".repeat(60);

const cases: readonly (readonly [string, ModelMessage[], object[], string[]])[] = [
  [
    "system messages stay in place",
    [{ role: "system", content: "A" }, hi, { role: "system", content: "B" }],
    [
      { role: "system", content: "A" },
      { role: "user", content: "hi" },
      { role: "system", content: "B" },
    ],
    [],
  ],
  [
    "empty messages are left out, blank ones are not",
    [hi, { role: "user", content: "" }, { role: "assistant", content: "" }, { role: "user", content: " " }],
    [
      { role: "user", content: "hi" },
      { role: "user", content: " " },
    ],
    ["empty-left-out", "empty-left-out"],
  ],
  [
    "the texts of an assistant message are one",
    [
      {
        role: "assistant",
        content: [
          { type: "text", text: "a" },
          { type: "reasoning", text: "hm" },
          { type: "text", text: "b" },
        ],
      },
    ],
    [{ role: "assistant", content: "ab" }],
    ["reasoning-left-out"],
  ],
  [
    "calls and results",
    [
      hi,
      { role: "assistant", content: [{ type: "text", text: "one moment" }, call("a"), call("b")] },
      answer("b"),
      answer("a"),
    ],
    [
      { role: "user", content: "hi" },
      { role: "assistant", content: "one moment", tool_calls: [called("a"), called("b")] },
      answered("a"),
      answered("b"),
    ],
    [],
  ],
  [
    "long ids are cut and stay apart",
    [hi, { role: "assistant", content: [call(long), call(`${long}y`)] }, answer(long), answer(`${long}y`)],
    [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [called("x".repeat(40)), called(`${"x".repeat(38)}_2`)] },
      answered("x".repeat(40)),
      answered(`${"x".repeat(38)}_2`),
    ],
    ["id-changed", "id-changed"],
  ],
  [
    "calls in two messages before their results are one message",
    [
      hi,
      { role: "assistant", content: [call("a")] },
      { role: "assistant", content: [call("b")] },
      answer("a"),
      answer("b"),
    ],
    [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [called("a"), called("b")] },
      answered("a"),
      answered("b"),
    ],
    ["merged"],
  ],
  [
    "a system message between call and result comes after it",
    [hi, { role: "assistant", content: [call("a")] }, { role: "system", content: "S" }, answer("a")],
    [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [called("a")] },
      answered("a"),
      { role: "system", content: "S" },
    ],
    ["moved-behind-results"],
  ],
];
describe("messages", () => {
  test.each(cases)("[P5] %s", (_name, messages, expected, notes) => {
    const made = toOpenAiChat({ messages });
    expect(made.request.messages).toEqual(expected);
    expect(made.notes.map(({ what }) => what)).toEqual(notes);
    expect(made.problems).toEqual([]);
  });
});

test("[P5] the images of a tool result follow the results in a user message", () => {
  const output: ToolResultOutput = {
    type: "content",
    value: [{ type: "image-data", data: png, mediaType: "image/png" }],
  };
  const { request, notes } = toOpenAiChat({
    messages: [hi, { role: "assistant", content: [call("a"), call("b")] }, answer("a", output), answer("b")],
  });
  expect(request.messages.slice(2)).toEqual([
    answered("a", "The files follow in the next user message."),
    answered("b"),
    {
      role: "user",
      content: [
        { type: "text", text: "Files that the tool call a returned:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
  ]);
  expect(notes.map(({ what }) => what)).toEqual(["media-moved"]);
});

const files: readonly (readonly [string, UserPart, object])[] = [
  [
    "an image as base64",
    { type: "image", image: png },
    { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
  ],
  [
    "an image by URL",
    { type: "image", image: "https://a.b/c.png" },
    { type: "image_url", image_url: { url: "https://a.b/c.png" } },
  ],
  [
    "sound",
    { type: "file", data: "AAAA", mediaType: "audio/mpeg" },
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
  ],
  [
    "a PDF",
    { type: "file", data: pdf, mediaType: "application/pdf", filename: "a.pdf" },
    { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
  ],
  [
    "an uploaded file",
    { type: "file", data: { openai: "file-1" }, mediaType: "application/pdf" },
    { type: "file", file: { file_id: "file-1" } },
  ],
  [
    "a text file",
    { type: "file", data: { type: "text", text: "notes" }, mediaType: "text/plain", filename: "n.txt" },
    { type: "text", text: '<file name="n.txt">\nnotes\n</file>' },
  ],
];
test.each(files)("[P5] %s", (_name, part, expected) => {
  const content: UserPart[] = [{ type: "text", text: "look" }, part];
  const { request, problems } = toOpenAiChat({ messages: [{ role: "user", content }] });
  expect(problems).toEqual([]);
  expect(request.messages).toEqual([{ role: "user", content: [{ type: "text", text: "look" }, expected] }]);
});

test("[P5] an assistant's file and an image by OpenAI's file id are problems", () => {
  const { problems } = toOpenAiChat({
    messages: [
      { role: "user", content: [{ type: "image", image: { openai: "file-1" } }] },
      { role: "assistant", content: [{ type: "file", data: png, mediaType: "image/png" }] },
    ],
  });
  expect(problems.map(({ path }) => path).sort()).toEqual(["messages[0].content[0]", "messages[1].content[0]"]);
});

test("[P5] tools keep their order and their schema", () => {
  const inputSchema = { type: "object", properties: { q: { type: "string" } } };
  const { request } = toOpenAiChat({
    messages: [hi],
    tools: [
      { name: "b", inputSchema },
      { name: "a", description: "A", inputSchema },
    ],
  });
  expect(request.tools).toEqual([
    { type: "function", function: { name: "b", parameters: inputSchema } },
    { type: "function", function: { name: "a", description: "A", parameters: inputSchema } },
  ]);
});

test("[P5] the speaker of a message is sent as its name", () => {
  const providerOptions = { openai: { name: "example_user" } };
  const { request } = toOpenAiChat({
    messages: [
      { role: "system", content: "a", providerOptions },
      { role: "user", content: "b", providerOptions },
      { role: "assistant", content: "c" },
    ],
  });
  expect(request.messages).toEqual([
    { role: "system", content: "a", name: "example_user" },
    { role: "user", content: "b", name: "example_user" },
    { role: "assistant", content: "c" },
  ]);
});
