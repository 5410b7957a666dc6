import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Card } from "../../store/ports/card-store.ts";
import { answers, calls, says } from "../testing/card-samples.ts";
import { closeOpenCalls } from "./close-open-calls.ts";
import { messagesOfCards } from "./messages-of-cards.ts";
import { openCallsOf } from "../testing/open-calls.ts";

/** `call a`, `result a`, `note a`, or the text. */
function brief({ content, metadata }: Card): string {
  if (content.kind === "tool-call") return `call ${content.toolCallId}`;
  if (content.kind === "tool-result") return `${metadata["closes"] ? "note" : "result"} ${content.toolCallId}`;
  return content.kind === "text" ? content.text : content.kind;
}

test.each<[string, () => Card[], string[]]>([
  ["a call with its result stays as it is", () => [calls("a"), answers("a")], ["call a", "result a"]],
  ["an open call at the end is closed with a note", () => [says("hi"), calls("a")], ["hi", "call a", "note a"]],
  [
    "a user's word ends the search",
    () => [calls("a"), says("next"), answers("a")],
    ["call a", "note a", "next", "result a"],
  ],
  [
    "the note stands behind the results that there are",
    () => [calls("a", "m"), calls("b", "m"), answers("a"), says("done", "assistant")],
    ["call a", "call b", "result a", "note b", "done"],
  ],
  [
    "an id that is used again belongs to the nearest call",
    () => [calls("a"), answers("a"), calls("a")],
    ["call a", "result a", "call a", "note a"],
  ],
  ["one id open twice is closed twice", () => [calls("a"), calls("a")], ["call a", "note a", "call a", "note a"]],
])("[H5] %s", (_, make, expected) => {
  expect(closeOpenCalls(make()).map(brief)).toEqual(expected);
});

test("[H5] whatever is inherited, no call is open afterwards, and nothing has moved", () => {
  const piece = fc.oneof(
    fc.constantFrom("a", "b").map((id) => () => calls(id)),
    fc.constantFrom("a", "b").map((id) => () => calls(id, "m")),
    fc.constantFrom("a", "b").map((id) => () => answers(id)),
    fc.constantFrom("user", "assistant").map((role) => () => says("text", role)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const cards = pieces.map((make) => make());
      const result = closeOpenCalls(cards);
      expect(result.filter((card) => cards.includes(card))).toEqual(cards);
      expect(openCallsOf(messagesOfCards(result).map(({ message }) => message))).toEqual([]);
      expect(closeOpenCalls(result)).toEqual(result);
      expect(closeOpenCalls(cards)).toEqual(result);
    }),
    { numRuns: 500 },
  );
});
