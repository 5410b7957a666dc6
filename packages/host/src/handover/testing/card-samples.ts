import type { ModelMessage } from "@galley/engine";
import type { ToolResultOutput } from "@galley/engine/messages";
import * as fc from "fast-check";
import type { Card, CardContent } from "../../store/ports/card-store.ts";
import type { CardStamp } from "../cards/cards-of-messages.ts";

let made = 0;

export const stamp: CardStamp = { authorId: "tester", now: 1000, newId: () => `id-${(made += 1)}` };

/** A card with what matters for a test. */
export function card(content: CardContent, metadata: Card["metadata"] = {}, type = "test"): Card {
  return { id: stamp.newId(), type, content, metadata, authorId: "tester", createdAt: 1000 };
}

export const says = (text: string, role = "user"): Card => card({ kind: "text", text }, { role });
export const calls = (id: string, message?: string): Card =>
  card(
    { kind: "tool-call", toolCallId: id, toolName: "search", input: {} },
    { role: "assistant", ...(message === undefined ? {} : { message }) },
  );
export const answers = (id: string): Card =>
  card(
    { kind: "tool-result", toolCallId: id, toolName: "search", output: { type: "text", value: "found" } },
    { role: "tool" },
  );

const id = fc.constantFrom("a", "b", "c");
const text = fc.constantFrom("hello", "你好", "{{user}}", "\u0000", "a\nb", "```json\n{}\n```");
const options = fc.option(fc.constant({ anthropic: { cacheControl: { type: "ephemeral" } } }), { nil: undefined });

function withOptions<Part extends object>(part: fc.Arbitrary<Part>): fc.Arbitrary<Part> {
  return fc.tuple(part, options).map(([value, given]) => (given ? { ...value, providerOptions: given } : value));
}

const output: fc.Arbitrary<ToolResultOutput> = fc.oneof(
  text.map((value): ToolResultOutput => ({ type: "text", value })),
  fc.jsonValue().map((value): ToolResultOutput => ({ type: "json", value: JSON.parse(JSON.stringify(value)) })),
  text.map((value): ToolResultOutput => ({ type: "error-text", value })),
  fc.constant<ToolResultOutput>({ type: "execution-denied", reason: "no" }),
  fc.constant<ToolResultOutput>({ type: "content", value: [{ type: "text", text: "t" }] }),
);
const textPart = withOptions(text.map((value) => ({ type: "text" as const, text: value })));
const callPart = withOptions(
  fc.tuple(id, fc.boolean()).map(([toolCallId, isProviders]) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName: "search",
    input: { query: "x" },
    ...(isProviders ? { providerExecuted: true } : {}),
  })),
);
const resultPart = withOptions(
  fc.tuple(id, output).map(([toolCallId, value]) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName: "search",
    output: value,
  })),
);
const media = fc.constantFrom(
  { type: "image" as const, image: "https://example.com/a.png" },
  { type: "image" as const, image: "https://example.com/a.png", mediaType: "image/png" },
  { type: "file" as const, data: "JVBERi0=", mediaType: "application/pdf", filename: "a.pdf" },
  { type: "file" as const, data: "data:text/plain;base64,aGk=", mediaType: "text/plain" },
);

/** Any message that a task may give. */
export const anyMessage: fc.Arbitrary<ModelMessage> = withOptions(
  fc.oneof(
    fc.tuple(fc.constantFrom("system", "user", "assistant"), text).map(([role, content]) => ({ role, content })),
    fc.array(fc.oneof(textPart, media), { minLength: 1, maxLength: 3 }).map((content) => ({ role: "user", content })),
    fc
      .array(
        fc.oneof(
          textPart,
          callPart,
          withOptions(text.map((value) => ({ type: "reasoning" as const, text: value }))),
          fc.constant({ type: "tool-approval-request" as const, approvalId: "p", toolCallId: "a" }),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((content) => ({ role: "assistant", content })),
    fc
      .array(fc.oneof(resultPart, fc.constant({ type: "tool-approval-response", approvalId: "p", approved: true })), {
        minLength: 1,
        maxLength: 3,
      })
      .map((content) => ({ role: "tool", content })),
  ) as fc.Arbitrary<ModelMessage>,
);
