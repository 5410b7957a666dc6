import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../model/messages.ts";
import { aiSdkSchema } from "./types.ts";
import { expectFaults } from "../testing/planted-faults.ts";
import { validateAiSdk } from "./validate.ts";

describe("ai-sdk", () => {
  const hi: ModelMessage = { role: "user", content: "hi" };
  const call = (toolCallId: string, providerExecuted = false): ModelMessage => ({
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName: "f", input: {}, providerExecuted }],
  });
  const result = (toolCallId: string): ModelMessage => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "f", output: { type: "text", value: "" } }],
  });
  expectFaults<ModelMessage[]>(
    "messages",
    [
      ["a whole conversation", [hi, call("a"), result("a"), call("w", true), hi], undefined],
      ["no message", [], "messages"],
      ["a system message", [hi, { role: "system", content: "S" }], "messages[1].role"],
      ["an empty message", [{ role: "user", content: [] }], "messages[0].content"],
      ["a call without a result", [hi, call("a")], "messages[1].content[0]"],
      ["a result behind a user message", [call("a"), hi, result("a")], "messages[0].content[0]|messages[2].content[0]"],
      ["a result without a call", [hi, result("a")], "messages[1].content[0]"],
      ["two calls of one id", [call("a"), result("a"), call("a"), result("a")], "messages[2].content[0]"],
    ],
    (messages) => validateAiSdk({ messages }),
  );
  test("[P5] tools", () => {
    const tools = { "": { inputSchema: aiSdkSchema({ type: "string" }) } };
    expect(validateAiSdk({ messages: [hi], tools }).map(({ path }) => path)).toEqual([
      'tools[""]',
      'tools[""].inputSchema',
    ]);
  });
});
