import { expect, test } from "vitest";
import type { ModelMessage, ToolResultOutput, UserPart } from "../../model/messages.ts";
import { pdf, png } from "../testing/arbitrary-messages.ts";
import { toAnthropic } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const said = (text: string): object => ({ type: "text", text });
const call: ModelMessage = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }],
};
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
    messages: [hi, call, { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output }] }],
  });
  expect(problems).toEqual([]);
  expect(request.messages[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "a", ...expected }]);
});
