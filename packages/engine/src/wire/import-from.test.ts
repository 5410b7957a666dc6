import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GalleyError } from "../model/check/errors.ts";
import { refusalOf } from "./testing/refusal-of.ts";
import { conversations, propertyRuns } from "./testing/arbitrary-messages.ts";
import { exportFor, wireProviders } from "./export-for.ts";
import { importFrom, readItems } from "./import-from.ts";
import { shapeOfList } from "./shapes.ts";

const tools = [{ name: "search", description: "Searches.", inputSchema: { type: "object", properties: {} } }];

describe.each(wireProviders)("%s", (provider) => {
  // OpenAI's formats say some things in two ways: a lone text as a text or as a part, leading system texts as
  // instructions or as items. The first reading settles on one of them.
  const hasTwoWays = provider.startsWith("openai");

  test("[J1b] what was exported, read back and exported again is the same request", () => {
    fc.assert(
      fc.property(conversations({ reusesIdsInTurn: true }), ({ messages, marks }) => {
        const again = (text: string, request: unknown): string => {
          const read = JSON.stringify(exportFor(provider, importFrom(provider, request)).request);
          expect(JSON.stringify(request), "the request is left as it was").toBe(text);
          return read;
        };
        const { request } = exportFor(provider, { messages, tools });
        const first = JSON.stringify(request);
        const second = again(first, request);
        expect(marks.filter((mark) => second.split(mark).length !== 2)).toEqual([]);
        expect(hasTwoWays ? again(second, JSON.parse(second)) : second).toBe(hasTwoWays ? second : first);
      }),
      { numRuns: propertyRuns },
    );
  });

  test("[E1] whatever it is given, it says where something is wrong", () => {
    const field = { gemini: "contents", "openai-responses": "input" }[provider as string] ?? "messages";
    fc.assert(
      fc.property(fc.anything(), (given) => {
        for (const request of [given, { [field]: given }, { [field]: [given, { role: "user", content: given }] }])
          expect(pathOfRefusal(() => importFrom(provider, request))).toMatch(/^request/);
      }),
      { numRuns: propertyRuns },
    );
  });
});

/** Where a call found something wrong; the request as a whole when it did not. */
function pathOfRefusal(run: () => unknown): string {
  try {
    run();
    return "request";
  } catch (error) {
    if (error instanceof GalleyError) return error.path ?? "";
    throw error;
  }
}

test("[J1b] forms that our exporters do not make are read too", () => {
  const chat = importFrom("openai-chat", {
    messages: [
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", name: "ada", content: [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }] },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{" } }],
      },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "done" }] },
      { role: "assistant", content: null, refusal: "I cannot." },
    ],
  });
  expect(chat.messages).toEqual([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [{ type: "file", data: { type: "data", data: "https://a.example/b.png" }, mediaType: "image" }],
      providerOptions: { openai: { name: "ada" } },
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", toolCallId: "1", toolName: "f", input: "{" },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value: "done" } }],
    },
    { role: "assistant", content: [{ type: "text", text: "I cannot." }] },
  ]);
  const items = [
    { type: "web_search_call", id: "ws_1", status: "completed" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Found." }] },
    { type: "computer_call", call_id: "c", action: {} },
    { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", call_id: "f", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "f", output: "text" },
  ];
  expect(readItems("openai-responses", items, "input").map(({ from, to }) => [from, to])).toEqual([
    [0, 4],
    [4, 6],
    [6, 7],
  ]);
  const [user, spoken] = importFrom("anthropic", {
    system: [{ type: "text", text: "S" }],
    messages: [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t" },
          { type: "text", text: "and?" },
        ],
      },
      { role: "assistant", content: [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }] },
    ],
  }).messages.slice(2);
  expect(user).toEqual({ role: "user", content: [{ type: "text", text: "and?" }] });
  expect(spoken).toMatchObject({ content: [{ type: "custom", kind: "anthropic.server_tool_use" }] });
});

test.each(wireProviders)("[J3] a list of %s with a hole is refused, and the error says where", (provider) => {
  const list: unknown[] = [];
  list.length = 1;
  expect(refusalOf(() => readItems(provider, list, "messages"))).toMatchObject({
    code: "ContextInvalidInput",
    path: "messages[0]",
  });
});

test("[J3] an error names the shape that a message seems to have", () => {
  const hintOf = (item: unknown, shape: "ai-sdk" | "openai-chat" = "ai-sdk"): string | undefined =>
    refusalOf(() => readItems(shape, [item], "messages")).hint;
  const ui = { id: "1", role: "user", parts: [{ type: "text", text: "hi" }] };
  expect(hintOf(ui)).toBe("This looks like an AI SDK UIMessage; use convertToModelMessages.");
  expect(hintOf({ type: "function_call", call_id: "1" })).toContain("OpenAI Responses items");
  expect(hintOf({ role: "user", content: [{ type: "image", source: {} }] }, "openai-chat")).toContain("Anthropic");
  expect(hintOf({ getType: () => "human", content: "hi" })).toContain("@galley/engine/langchain");
  const call = { role: "assistant", content: null, tool_calls: [] };
  expect(refusalOf(() => shapeOfList([call, { role: "tool", content: [] }], "messages"))).toMatchObject({
    code: "ContextInvalidInput",
    path: "messages[1]",
  });
  expect(shapeOfList([{ role: "user", content: "hi" }, call], "messages")).toBe("openai-chat");
});
