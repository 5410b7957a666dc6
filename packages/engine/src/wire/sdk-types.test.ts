import type { ContentBlockParam, MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentParameters, Part } from "@google/genai";
import type { ModelMessage as AiSdkMessage, SystemModelMessage, ToolSet } from "ai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming, ResponseInputItem } from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import type { ModelMessage } from "../model/messages.ts";
import { exportFor } from "./export-for.ts";

// The compiler is the gate here: each request is given to the official SDK's own type. The lines that expect an error
// hold the gate itself: an SDK type that does not resolve would accept anything.

const messages: readonly ModelMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "hi" },
];

test("[P5] the requests are of the official SDKs' types", () => {
  const chat: ChatCompletionCreateParamsNonStreaming = {
    model: "m",
    ...exportFor("openai-chat", { messages }).request,
  };
  const responses: ResponseCreateParamsNonStreaming = {
    model: "m",
    ...exportFor("openai-responses", { messages }).request,
  };
  const anthropic: MessageCreateParamsNonStreaming = {
    model: "m",
    max_tokens: 1,
    ...exportFor("anthropic", { messages }).request,
  };
  const { contents, ...config } = exportFor("gemini", { messages }).request;
  const gemini: GenerateContentParameters = { model: "m", contents, config };
  const aiSdk: {
    instructions?: SystemModelMessage[];
    messages: AiSdkMessage[];
    allowSystemInMessages?: boolean;
    tools?: ToolSet;
  } = exportFor("ai-sdk", { messages }).request;
  expect([chat.messages, responses.input, anthropic.messages, gemini.contents, aiSdk.messages]).toHaveLength(5);
});

test("[P5] the official SDKs' types refuse what is wrong", () => {
  // @ts-expect-error A tool message needs its id.
  const chat: ChatCompletionCreateParamsNonStreaming["messages"][number] = { role: "tool", content: "" };
  // @ts-expect-error A call needs its id.
  const call: ResponseInputItem = { type: "function_call", name: "f", arguments: "{}" };
  // @ts-expect-error There is no such block.
  const block: ContentBlockParam = { type: "txt", text: "" };
  // @ts-expect-error A name is a text.
  const part: Part = { functionCall: { name: 1 } };
  // @ts-expect-error There is no such role.
  const message: AiSdkMessage = { role: "narrator", content: "" };
  expect([chat, call, block, part, message]).toHaveLength(5);
});
