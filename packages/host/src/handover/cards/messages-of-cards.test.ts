import type { ModelMessage } from "@galley/engine";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyMessage, card, says, stamp } from "../testing/card-samples.ts";
import { cardsOfMessages } from "./cards-of-messages.ts";
import { messagesOfCards } from "./messages-of-cards.ts";

const thereAndBack = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const cards = JSON.parse(JSON.stringify(cardsOfMessages(messages, stamp))) as ReturnType<typeof cardsOfMessages>;
  return messagesOfCards(cards).map(({ message }) => message);
};

test("[H1] messages become cards, one for each part, and the same messages again", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 6 }), (messages) => {
      expect(thereAndBack(messages)).toEqual(messages);
    }),
    { numRuns: 300 },
  );
});

test("[H1] a message of several parts is one card for each, with the kind of its content", () => {
  const cards = cardsOfMessages(
    [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "1", toolName: "search", input: { q: "x" } },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "1", toolName: "search", output: { type: "text", value: "y" } }],
      },
      { role: "user", content: [{ type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf" }] },
    ],
    stamp,
  );
  expect(cards.map(({ type, content }) => [type, content.kind])).toEqual([
    ["agent.reasoning", "text"],
    ["agent.output", "text"],
    ["tool.call", "tool-call"],
    ["tool.result", "tool-result"],
    ["agent.file", "file"],
  ]);
});

test("[H1] bytes are kept as base64 and URLs as text", () => {
  const bytes = Uint8Array.from([1, 2, 3]);
  const url = new URL("https://example.com/a.png");
  const content = [
    { type: "image" as const, image: bytes },
    { type: "image" as const, image: url },
  ];
  expect(thereAndBack([{ role: "user", content }])).toEqual([
    {
      role: "user",
      content: [
        { type: "image", image: "AQID" },
        { type: "image", image: "https://example.com/a.png" },
      ],
    },
  ]);
});

test("[H3] cards that others wrote read as what they are", () => {
  const cards = [
    card({ kind: "json", value: { limit: 3 } }, {}, "task.settings"),
    card({ kind: "fields", fields: ["summary"] }, {}, "task.result_fields"),
    card({ kind: "tool-result", toolCallId: "1", toolName: "t", output: { any: "json" } }),
    says("text", "tool"),
    says("text", "boss"),
  ];
  expect(messagesOfCards(cards).map(({ message }) => message)).toEqual([
    { role: "user", content: 'task.settings:\n{\n  "limit": 3\n}' },
    {
      role: "user",
      content: "End with one JSON object that has these fields, and nothing after it:\n- summary (any value)",
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "1", toolName: "t", output: { type: "json", value: { any: "json" } } },
      ],
    },
    { role: "user", content: "text" },
    { role: "user", content: "text" },
  ]);
});
