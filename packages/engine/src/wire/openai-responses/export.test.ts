import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage, ReasoningPart, ToolResultOutput } from "../../model/messages.ts";
import { pdf, png } from "../testing/arbitrary-messages.ts";
import { toOpenAiResponses } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const asked = { role: "user", content: "hi" };
const call = (toolCallId: string, itemId = "fc_1"): AssistantPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "f",
  input: {},
  providerOptions: { openai: { itemId } },
});
const answer = (output: ToolResultOutput = { type: "text", value: "ok" }): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output }],
});
const thought = (text: string, itemId: string, encrypted?: string): ReasoningPart => ({
  type: "reasoning",
  text,
  providerOptions: { openai: { itemId, ...(encrypted === undefined ? {} : { reasoningEncryptedContent: encrypted }) } },
});
const reasoned = (id: string, ...texts: string[]): object => ({
  type: "reasoning",
  id,
  summary: texts.map((text) => ({ type: "summary_text", text })),
});
const called = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "ok" };

const steps: readonly (readonly [string, AssistantPart[], object[]])[] = [
  ["without reasoning no item ids are sent", [call("a")], [called]],
  ["reasoning that was never an item is left out", [{ type: "reasoning", text: "hm" }, call("a")], [called]],
  [
    "reasoning goes back with what it led to",
    [thought("hm", "rs_1"), call("a")],
    [reasoned("rs_1", "hm"), { ...called, id: "fc_1" }],
  ],
  [
    "encrypted reasoning",
    [thought("", "rs_1", "e"), call("a")],
    [
      { ...reasoned("rs_1"), encrypted_content: "e" },
      { ...called, id: "fc_1" },
    ],
  ],
  [
    "the parts of one item are one item again",
    [thought("a", "rs_1"), thought("b", "rs_1", "e"), call("a")],
    [
      { ...reasoned("rs_1", "a", "b"), encrypted_content: "e" },
      { ...called, id: "fc_1" },
    ],
  ],
  [
    "reasoning that led to a call of OpenAI's own tools is left out with it",
    [
      thought("hm", "rs_1"),
      { type: "tool-call", toolCallId: "w", toolName: "web_search", input: {}, providerExecuted: true },
      call("a"),
    ],
    [called],
  ],
  [
    "an item id that is not a call's is not sent",
    [thought("hm", "rs_1"), call("a", "toolu_1")],
    [reasoned("rs_1", "hm"), called],
  ],
];
describe("reasoning", () => {
  test.each(steps)("[P5] %s", (_name, content, expected) => {
    const { request, problems } = toOpenAiResponses({ messages: [hi, { role: "assistant", content }, answer()] });
    expect(request.input).toEqual([asked, ...expected, output]);
    expect(problems).toEqual([]);
  });

  test("[P5] before a text it keeps the message's id and phase; at the end it is left out", () => {
    const text: AssistantPart = {
      type: "text",
      text: "x",
      providerOptions: { openai: { itemId: "msg_1", phase: "final_answer" } },
    };
    const { request, notes } = toOpenAiResponses({
      messages: [hi, { role: "assistant", content: [thought("a", "rs_1"), text, thought("b", "rs_2")] }],
    });
    expect(request.input.slice(1)).toEqual([
      reasoned("rs_1", "a"),
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "x", annotations: [] }],
        phase: "final_answer",
      },
    ]);
    expect(notes).toEqual([{ message: 1, part: 2, what: "reasoning-left-out" }]);
  });
});

test("[P5] system messages at the front are instructions, later ones items in place", () => {
  const { request } = toOpenAiResponses({
    messages: [
      { role: "system", content: "A" },
      { role: "system", content: "B" },
      hi,
      { role: "system", content: "C" },
    ],
  });
  expect(request).toEqual({ instructions: "A\n\nB", input: [asked, { role: "system", content: "C" }] });
});

test("[P5] system messages alone stay items: input may not be empty", () => {
  const { request } = toOpenAiResponses({ messages: [{ role: "system", content: "A" }] });
  expect(request).toEqual({ input: [{ role: "system", content: "A" }] });
});

const outputs: readonly (readonly [ToolResultOutput, unknown])[] = [
  [{ type: "text", value: "" }, ""],
  [{ type: "json", value: [1] }, "[1]"],
  [{ type: "error-text", value: "no" }, "no"],
  [
    {
      type: "content",
      value: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    "a\nb",
  ],
  [
    {
      type: "content",
      value: [
        { type: "text", text: "a" },
        { type: "image-url", url: "https://a.b/c" },
        { type: "file-data", data: pdf, mediaType: "application/pdf" },
        { type: "file-id", fileId: "file-1" },
      ],
    },
    [
      { type: "input_text", text: "a" },
      { type: "input_image", detail: "auto", image_url: "https://a.b/c" },
      { type: "input_file", filename: "document.pdf", file_data: `data:application/pdf;base64,${pdf}` },
      { type: "input_file", file_id: "file-1" },
    ],
  ],
];
test.each(outputs)("[P5] a result of %j", (given, expected) => {
  const { request, problems } = toOpenAiResponses({
    messages: [hi, { role: "assistant", content: [call("a")] }, answer(given)],
  });
  expect(problems).toEqual([]);
  expect(request.input.at(-1)).toEqual({ ...output, output: expected });
});

test("[P5] images and files of the user", () => {
  const { request } = toOpenAiResponses({
    messages: [
      {
        role: "user",
        content: [
          { type: "image", image: png },
          { type: "file", data: "https://a.b/c.pdf", mediaType: "application/pdf" },
          { type: "image", image: { openai: "file-1" } },
        ],
      },
    ],
  });
  expect(request.input).toEqual([
    {
      role: "user",
      content: [
        { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png}` },
        { type: "input_file", file_url: "https://a.b/c.pdf" },
        { type: "input_image", detail: "auto", file_id: "file-1" },
      ],
    },
  ]);
});

test("[P5] tools are not strict, so that the schema stays what it is", () => {
  const inputSchema = { type: "object", properties: {} };
  const { request } = toOpenAiResponses({ messages: [hi], tools: [{ name: "f", inputSchema }] });
  expect(request.tools).toEqual([{ type: "function", name: "f", parameters: inputSchema, strict: false }]);
});
