import type { ModelMessage as EngineMessage } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import type { ModelMessage as AiSdkMessage } from "ai";
import { expect, test } from "vitest";

/** These compile, or the two shapes have drifted apart. */
const toAiSdk = (messages: EngineMessage[]): AiSdkMessage[] => messages;
const fromAiSdk = (messages: AiSdkMessage[]): EngineMessage[] => messages;

test("[M1] our messages are the AI SDK's, in both directions and without an adapter", () => {
  const messages: EngineMessage[] = [{ role: "user", content: "hi" }];
  expect(fromAiSdk(toAiSdk(messages))).toBe(messages);
});

test("[M1] messages as the AI SDK writes them pass the schema at the edge", () => {
  const messages: AiSdkMessage[] = [
    { role: "system", content: "s", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
    {
      role: "user",
      content: [
        { type: "text", text: "t" },
        { type: "image", image: new URL("https://example.com/a.png") },
        { type: "file", data: new Uint8Array([1]), mediaType: "application/pdf", filename: "a.pdf" },
        { type: "file", data: { type: "text", text: "inline" }, mediaType: "text/plain" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "r", providerOptions: { anthropic: { signature: "x" } } },
        { type: "tool-call", toolCallId: "1", toolName: "f", input: { a: 1 } },
        { type: "tool-approval-request", approvalId: "p", toolCallId: "1" },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-approval-response", approvalId: "p", approved: true },
        { type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "json", value: { ok: [1, null] } } },
      ],
    },
  ];
  for (const message of messages) expect(messageSchema.parse(message)).toEqual(message);
});
