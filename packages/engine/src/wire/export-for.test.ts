import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../model/messages.ts";
import { conversations, propertyRuns } from "./testing/arbitrary-messages.ts";
import { refusalOf } from "./testing/refusal-of.ts";
import { exportFor, wireProviders } from "./export-for.ts";
import type { WireNoteCode } from "./shared/wire-input.ts";

const tools = [{ name: "search", description: "Searches.", inputSchema: { type: "object", properties: {} } }];
const runs = { numRuns: propertyRuns };
const times = (text: string, part: string): number => text.split(part).length - 1;

describe.each(wireProviders)("%s", (provider) => {
  test("[P5] every history of whole groups makes a valid request, whatever its ids", () => {
    fc.assert(
      fc.property(conversations({ reusesIdsInTurn: true }), ({ messages }) => {
        expect(exportFor(provider, { messages, tools }).problems).toEqual([]);
      }),
      runs,
    );
  });

  test("[P5] every text comes out exactly once", () => {
    fc.assert(
      fc.property(conversations({ reusesIdsInTurn: true }), ({ messages, marks }) => {
        const wire = JSON.stringify(exportFor(provider, { messages }).request);
        expect(marks.filter((mark) => times(wire, mark) !== 1)).toEqual([]);
      }),
      runs,
    );
  });

  test("[P5] [M4] calls and results stay pairs, by position, also where ids are used again", () => {
    fc.assert(
      fc.property(conversations({ reusesIdsInTurn: false }), ({ messages, pairs }) => {
        const { request } = exportFor(provider, { messages });
        const partners = partnersOf(request);
        expect(pairs.filter(([call, result]) => !partners.some(isPair(call, result)))).toEqual([]);
      }),
      runs,
    );
  });

  test("[P5] the input is left as it was, and the same input makes the same bytes", () => {
    fc.assert(
      fc.property(conversations({ reusesIdsInTurn: true }), ({ messages }) => {
        const before = JSON.stringify(messages);
        const first = JSON.stringify(exportFor(provider, { messages, tools }));
        expect(JSON.stringify(exportFor(provider, { messages, tools }))).toBe(first);
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: Math.ceil(propertyRuns / 4) },
    );
  });

  const call: ModelMessage = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "a", toolName: "search", input: {} }],
  };
  const result: ModelMessage = {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "a", toolName: "search", output: { type: "text", value: "1" } }],
  };
  const hi: ModelMessage = { role: "user", content: "hi" };
  const refused: readonly (readonly [string, readonly ModelMessage[], string])[] = [
    ["nothing at all", [], "request"],
    ["a call without a result", [hi, call], "messages[1].content[0]"],
    ["a call that a user message cuts off", [hi, call, hi, result], "messages[1].content[0]"],
    ["a result without a call", [hi, result], "messages[1].content[0]"],
    ["a second result", [hi, call, result, result], "messages[3].content[0]"],
  ];
  test.each(refused)("[P5] %s is refused before anything is sent", (_name, messages, path) => {
    const error = refusalOf(() => exportFor(provider, { messages }));
    expect(error.code).toBe("WireInvalid");
    expect(error.problems.some((problem) => problem.path.startsWith(path))).toBe(true);
  });

  test("[P5] two tools of one name, or a schema that is not an object's, are refused with their paths", () => {
    const odd = [{ name: "search", inputSchema: { type: "string" } }];
    const error = refusalOf(() => exportFor(provider, { messages: [hi], tools: odd }));
    expect(error.path).toContain("request.tools");
    if (provider === "ai-sdk") return;
    expect(refusalOf(() => exportFor(provider, { messages: [hi], tools: [...tools, ...tools] })).message).toContain(
      "search",
    );
  });
});

test("[P5] the generated histories reach every decision that an exporter can note", () => {
  const sample = fc.sample(conversations({ reusesIdsInTurn: true }), { numRuns: 300, seed: 1 });
  const noted = new Set(
    sample.flatMap(({ messages }) =>
      wireProviders.flatMap((provider) =>
        exportFor(provider, { messages, model: "gemini-3-pro" }).notes.map(({ what }) => what),
      ),
    ),
  );
  const expected: readonly WireNoteCode[] = [
    "custom-left-out",
    "empty-left-out",
    "file-as-text",
    "filler-added",
    "id-changed",
    "media-moved",
    "merged",
    "moved-behind-results",
    "provider-executed-left-out",
    "reasoning-left-out",
    "reordered",
    "signature-placeholder",
    "system-as-user",
    "trailing-space-trimmed",
  ];
  expect([...noted].sort()).toEqual(expected);
});

test("[P5] a file that a provider does not take is refused, never lost", () => {
  const video: ModelMessage = { role: "user", content: [{ type: "file", data: "AAAA", mediaType: "video/mp4" }] };
  for (const provider of ["openai-chat", "openai-responses", "anthropic"] as const) {
    const error = refusalOf(() => exportFor(provider, { messages: [video] }));
    expect(error.path).toBe("messages[0].content[0]");
    expect(error.message).toContain("video/mp4");
    expect(error.hint).toBeTruthy();
  }
  expect(exportFor("gemini", { messages: [video] }).request.contents[0]?.parts).toEqual([
    { inlineData: { mimeType: "video/mp4", data: "AAAA" } },
  ]);
});

/** Everything in a request that is said to be a call or a result, with the id (or place) that pairs them. */
function partnersOf(request: object): readonly { readonly key: string; readonly json: string }[] {
  if ("contents" in request) return geminiPartners(request.contents as { parts: object[] }[]);
  const found: { key: string; json: string }[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const fields = value as Record<string, unknown>;
    const isPart = [
      "tool_use",
      "tool_result",
      "function",
      "function_call",
      "function_call_output",
      "tool-call",
      "tool-result",
    ];
    const key =
      fields["tool_use_id"] ?? fields["tool_call_id"] ?? fields["call_id"] ?? fields["toolCallId"] ?? fields["id"];
    if (typeof key === "string" && (fields["role"] === "tool" || isPart.includes(String(fields["type"])))) {
      found.push({ key, json: JSON.stringify(value) });
    } else Object.values(fields).forEach(walk);
  };
  walk(request);
  return found;
}

function geminiPartners(contents: readonly { readonly parts: readonly object[] }[]): { key: string; json: string }[] {
  return contents.flatMap(({ parts }, content) => {
    const calls = parts.filter((part) => "functionCall" in part);
    const responses = parts.filter((part) => "functionResponse" in part);
    return [
      ...calls.map((part, index) => ({ key: `${content + 1}:${index}`, json: JSON.stringify(part) })),
      ...responses.map((part, index) => ({ key: `${content}:${index}`, json: JSON.stringify(part) })),
    ];
  });
}

function isPair(call: string, result: string) {
  return (
    partner: { readonly key: string; readonly json: string },
    _index: number,
    all: readonly { readonly key: string; readonly json: string }[],
  ): boolean =>
    partner.json.includes(call) && all.some(({ key, json }) => key === partner.key && json.includes(result));
}
