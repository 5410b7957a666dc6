import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage, ToolResultOutput } from "../../model/messages.ts";
import { png } from "../testing/arbitrary-messages.ts";
import { toGemini } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const user = (...parts: object[]): object => ({ role: "user", parts });
const model = (...parts: object[]): object => ({ role: "model", parts });
const call = (toolCallId: string, toolName: string, signature?: string): AssistantPart => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: {},
  ...(signature === undefined ? {} : { providerOptions: { google: { thoughtSignature: signature } } }),
});
const called = (name: string): object => ({ functionCall: { name, args: {} } });
const answered = (name: string, response: object = { output: "ok" }): object => ({
  functionResponse: { name, response },
});
const answer = (
  toolCallId: string,
  toolName: string,
  output: ToolResultOutput = { type: "text", value: "ok" },
): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName, output }],
});

const cases: readonly (readonly [string, ModelMessage[], object[]])[] = [
  [
    "roles are user and model, and neighbours are one",
    [hi, hi, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }],
    [user({ text: "hi" }, { text: "hi" }), model({ text: "a" }, { text: "b" })],
  ],
  [
    "a conversation that the model begins",
    [{ role: "assistant", content: "welcome" }],
    [user({ text: "Begin." }), model({ text: "welcome" })],
  ],
  [
    "a system message in the middle",
    [hi, { role: "system", content: "S" }],
    [user({ text: "hi" }, { text: "<system>\nS\n</system>" })],
  ],
  [
    "responses stand in one content, in the order of the calls",
    [hi, { role: "assistant", content: [call("1", "f"), call("2", "g")] }, answer("2", "g"), answer("1", "f"), hi],
    [user({ text: "hi" }), model(called("f"), called("g")), user(answered("f"), answered("g"), { text: "hi" })],
  ],
  [
    "a response has its call's name",
    [hi, { role: "assistant", content: [call("1", "f")] }, answer("1", "other")],
    [user({ text: "hi" }), model(called("f")), user(answered("f"))],
  ],
  [
    "thoughts need a signature",
    [
      hi,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "reasoning", text: "aha", providerOptions: { google: { thoughtSignature: "s" } } },
          { type: "text", text: "x" },
        ],
      },
    ],
    [user({ text: "hi" }), model({ text: "aha", thought: true, thoughtSignature: "s" }, { text: "x" })],
  ],
  [
    "a signature on an empty text goes back",
    [
      hi,
      {
        role: "assistant",
        content: [{ type: "text", text: "", providerOptions: { vertex: { thoughtSignature: "s" } } }],
      },
    ],
    [user({ text: "hi" }), model({ text: "", thoughtSignature: "s" })],
  ],
  [
    "the model's own images stay",
    [hi, { role: "assistant", content: [{ type: "file", data: png, mediaType: "image/png" }] }],
    [user({ text: "hi" }), model({ inlineData: { mimeType: "image/png", data: png } })],
  ],
];
describe("contents", () => {
  test.each(cases)("[P5] %s", (_name, messages, expected) => {
    const { request, problems } = toGemini({ messages });
    expect(request.contents).toEqual(expected);
    expect(problems).toEqual([]);
  });
});

test("[P5] system messages at the front are the system instruction", () => {
  const { request } = toGemini({ messages: [{ role: "system", content: "A" }, { role: "system", content: "B" }, hi] });
  expect(request).toEqual({
    systemInstruction: { parts: [{ text: "A" }, { text: "B" }] },
    contents: [user({ text: "hi" })],
  });
});

const outputs: readonly (readonly [ToolResultOutput, object])[] = [
  [{ type: "json", value: { a: 1 } }, { output: { a: 1 } }],
  [{ type: "json", value: null }, { output: null }],
  [{ type: "error-text", value: "no" }, { error: "no" }],
  [{ type: "error-json", value: [1] }, { error: [1] }],
  [{ type: "execution-denied", reason: "no" }, { error: "no" }],
];
test.each(outputs)("[P5] a result of %j", (output, response) => {
  const { request } = toGemini({
    messages: [hi, { role: "assistant", content: [call("1", "f")] }, answer("1", "f", output)],
  });
  expect(request.contents[2]).toEqual(user(answered("f", response)));
});

test("[P5] the images of results follow all responses", () => {
  const output: ToolResultOutput = {
    type: "content",
    value: [
      { type: "text", text: "x" },
      { type: "image-data", data: png, mediaType: "image/png" },
    ],
  };
  const { request, notes } = toGemini({
    messages: [
      hi,
      { role: "assistant", content: [call("1", "f"), call("2", "g")] },
      answer("1", "f", output),
      answer("2", "g"),
    ],
  });
  expect(request.contents[2]).toEqual(
    user(
      answered("f", { output: "x" }),
      answered("g"),
      { text: "Files that the tool f returned:" },
      { inlineData: { mimeType: "image/png", data: png } },
    ),
  );
  expect(notes.map(({ what }) => what)).toEqual(["media-moved"]);
});

test("[P5] Gemini 3 gets a placeholder where the running turn has an unsigned call, and only there", () => {
  const messages: ModelMessage[] = [
    hi,
    { role: "assistant", content: [call("1", "old")] },
    answer("1", "old"),
    { role: "assistant", content: "done" },
    hi,
    { role: "assistant", content: [call("2", "f"), call("3", "g")] },
    answer("2", "f"),
    answer("3", "g"),
    { role: "assistant", content: [call("4", "h", "real")] },
    answer("4", "h"),
  ];
  const skip = { thoughtSignature: "skip_thought_signature_validator" };
  const { request, notes } = toGemini({ messages, model: "models/gemini-3-pro" });
  expect(request.contents.filter(({ role }) => role === "model")).toEqual([
    model(called("old")),
    model({ text: "done" }),
    model({ ...called("f"), ...skip }, called("g")),
    model({ ...called("h"), thoughtSignature: "real" }),
  ]);
  expect(notes).toEqual([{ message: 9, what: "signature-placeholder", detail: "1" }]);
  expect(toGemini({ messages, model: "gemini-2.5-pro" }).notes).toEqual([]);
});

test("[P5] files by URI, and what Gemini does not take", () => {
  const { request, problems } = toGemini({
    messages: [
      {
        role: "user",
        content: [
          { type: "image", image: "https://a.b/c.png" },
          { type: "file", data: { google: "files/1" }, mediaType: "video/mp4" },
          { type: "file", data: "R0lGOD", mediaType: "image/gif" },
          { type: "file", data: "ftp://a/b", mediaType: "video/mp4" },
        ],
      },
    ],
  });
  expect(request.contents).toEqual([
    user({ fileData: { fileUri: "https://a.b/c.png" } }, { fileData: { fileUri: "files/1", mimeType: "video/mp4" } }),
  ]);
  expect(problems.map(({ path }) => path)).toEqual(["messages[0].content[2]", "messages[0].content[3]"]);
});

test("[P5] tools are given by JSON Schema", () => {
  const inputSchema = { type: "object", properties: {} };
  const { request } = toGemini({ messages: [hi], tools: [{ name: "f", description: "F", inputSchema }] });
  expect(request.tools).toEqual([
    { functionDeclarations: [{ name: "f", description: "F", parametersJsonSchema: inputSchema }] },
  ]);
});
