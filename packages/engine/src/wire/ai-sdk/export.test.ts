import { asSchema, generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AssistantPart, ModelMessage } from "../../model/messages.ts";
import { conversations } from "../testing/arbitrary-messages.ts";
import { exportFor } from "../export-for.ts";
import { toAiSdk } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const call = (toolCallId: string): AssistantPart => ({ type: "tool-call", toolCallId, toolName: "f", input: {} });
const answer = (toolCallId: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "f", output: { type: "text", value: "ok" } }],
});
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const echo = (): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    // Otherwise the AI SDK fetches the images itself.
    supportedUrls: { "*/*": [/./] },
    doGenerate: {
      content: [{ type: "text", text: "yes" }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
    },
  });

test("[P5] the AI SDK itself takes every export of whole groups", async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tools = [{ name: "f", inputSchema: { type: "object", properties: {}, additionalProperties: true } }];
  await fc.assert(
    fc.asyncProperty(conversations({ reusesIdsInTurn: true }), async ({ messages }) => {
      const { text } = await generateText({ model: echo(), ...exportFor("ai-sdk", { messages, tools }).request });
      expect(text).toBe("yes");
    }),
    { numRuns: 100 },
  );
});

test("[P5] the AI SDK sends a tool's schema as it is", async () => {
  const inputSchema = { type: "object", properties: { q: { type: "string" } }, additionalProperties: true };
  const { request } = toAiSdk({ messages: [hi], tools: [{ name: "f", description: "F", inputSchema }] });
  expect(await asSchema(request.tools?.["f"]?.inputSchema).jsonSchema).toEqual(inputSchema);
  const model = echo();
  await generateText({ model, ...request });
  expect(model.doGenerateCalls[0]?.tools).toEqual([{ type: "function", name: "f", description: "F", inputSchema }]);
});

test("[P5] system messages at the front are instructions; later ones stay, and are allowed", () => {
  const options = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const first: ModelMessage = { role: "system", content: "A", providerOptions: options };
  const later: ModelMessage = { role: "system", content: "B" };
  expect(toAiSdk({ messages: [first, hi] }).request).toEqual({ instructions: [first], messages: [hi] });
  expect(toAiSdk({ messages: [hi, later] }).request).toEqual({ messages: [hi, later], allowSystemInMessages: true });
});

test("[P5] system messages alone get a short user message", () => {
  const { request, notes } = toAiSdk({ messages: [{ role: "system", content: "A" }] });
  expect(request.messages).toEqual([{ role: "user", content: "Begin." }]);
  expect(notes).toEqual([{ message: 0, what: "filler-added" }]);
});

test("[P5] messages pass through as they are, those with ids used again excepted", () => {
  const step: ModelMessage = { role: "assistant", content: [{ type: "reasoning", text: "hm" }, call("a")] };
  const messages = [hi, step, answer("a"), step, answer("a")];
  const { request, notes } = toAiSdk({ messages });
  expect(request.messages.slice(0, 3)).toEqual(messages.slice(0, 3));
  expect(request.messages[1]).toBe(step);
  expect(request.messages[4]).toEqual(answer("a_2"));
  expect(notes).toEqual([{ message: 3, part: 1, what: "id-changed", detail: "a_2" }]);
});

test("[P5] what stands between a call and its result gives way", () => {
  const { request } = toAiSdk({
    messages: [
      hi,
      { role: "assistant", content: [call("a")] },
      { role: "system", content: "S" },
      { role: "assistant", content: "wait" },
      answer("a"),
    ],
  });
  expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "system"]);
  expect(request.messages[1]?.content).toEqual([call("a"), { type: "text", text: "wait" }]);
});

test("[P5] a call that the last message decides on may go without a result: the AI SDK runs it", () => {
  const messages: ModelMessage[] = [
    hi,
    { role: "assistant", content: [call("a"), { type: "tool-approval-request", approvalId: "p", toolCallId: "a" }] },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
  ];
  expect(exportFor("ai-sdk", { messages }).request.messages).toEqual(messages);
  expect(() => exportFor("ai-sdk", { messages: messages.slice(0, 2) })).toThrow("no result");
});

test("[P5] what the provider behind the AI SDK refuses, and the AI SDK passes on, is put right where it is known", () => {
  const odd = "call|1 ".padEnd(80, "x");
  const messages: ModelMessage[] = [
    { role: "assistant", content: [{ type: "text", text: " " }, call(odd)] },
    answer(odd),
    { role: "system", content: "S" },
    hi,
  ];
  const sent = (behind: "anthropic" | "gemini" | "openai-chat" | "openai-responses") =>
    exportFor("ai-sdk", { messages, behind }).request.messages;
  const filler = { role: "user", content: "Begin." };
  const spoken = { role: "user", content: "<system>\nS\n</system>" };
  const id = (length: number): string => `call_1_${"x".repeat(73)}`.slice(0, length);
  expect(sent("anthropic")).toEqual([
    filler,
    { role: "assistant", content: [call(id(64))] },
    answer(id(64)),
    spoken,
    hi,
  ]);
  expect(sent("gemini")).toEqual([filler, ...messages.slice(0, 2), spoken, hi]);
  expect(JSON.stringify(sent("openai-chat"))).toContain(`"${id(40)}"`);
  expect(JSON.stringify(sent("openai-responses"))).toContain(`"${id(64)}"`);
  expect(exportFor("ai-sdk", { messages }).request.messages).toEqual(messages);
});
