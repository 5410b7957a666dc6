import type { ModelMessage } from "@galley/engine";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What has made providers refuse requests: odd ids and names, empty texts, calls side by side, gaps, pictures, late system text. */
export const awkwardSession: readonly ModelMessage[] = [
  { role: "user", content: "你好！ What is in the picture? 👩‍👩‍👧" },
  { role: "assistant", content: "  " },
  {
    role: "user",
    content: [
      { type: "text", text: "" },
      { type: "text", text: "This one." },
      { type: "image", image: pixel, mediaType: "image/png" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me look." },
      { type: "text", text: "I look at both. " },
      { type: "tool-call", toolCallId: "call|1:with odd.signs", toolName: "read_file", input: { path: "a.md" } },
      { type: "tool-call", toolCallId: `call-${"x".repeat(90)}`, toolName: "read_file", input: { path: "b.md" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `call-${"x".repeat(90)}`,
        toolName: "read_file",
        output: { type: "error-text", value: "There is no b.md." },
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call|1:with odd.signs",
        toolName: "read_file",
        output: {
          type: "content",
          value: [
            { type: "text", text: "a.md and a picture:" },
            { type: "image-data", data: pixel, mediaType: "image/png" },
          ],
        },
      },
    ],
  },
  { role: "system", content: "From now on answer in Chinese." },
  { role: "assistant", content: [{ type: "text", text: "好的。\n" }] },
  { role: "user", content: "谢谢" },
  { role: "user", content: "Once more, please: \u0000 and \uD800 are odd." },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "3", toolName: "list", input: {} }],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "3", toolName: "list", output: { type: "json", value: [] } }],
  },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "3", toolName: "list", input: { again: true } }],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "3", toolName: "list", output: { type: "text", value: "" } }],
  },
  { role: "assistant", content: "Done." },
  { role: "user", content: "And now?" },
];
