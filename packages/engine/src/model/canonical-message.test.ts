import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { canonicalMessage } from "./canonical-message.ts";
import { groupedHistory, runs } from "./testing/history.ts";
import type { ModelMessage } from "./messages.ts";

const key = fc.oneof(fc.constantFrom("10", "9", "a", "B", "__proto__", "toJSON", "é"), fc.string({ maxLength: 3 }));
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, null, undefined, -0),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const call = (input: unknown): ModelMessage => ({
  role: "assistant",
  content: [{ toolName: "look", type: "tool-call", input, toolCallId: "c" }],
});

/** What comes out, or the message of the error. */
function tried(write: () => string): string {
  try {
    return write();
  } catch (error) {
    return String(error);
  }
}

test("[P2] a message is written in one step or key by key, and it is the same text", () => {
  const odd = fc.constantFrom<object>(
    {},
    { providerOptions: { a: { b: 1 } } },
    { providerOptions: undefined },
    { name: "x" },
  );
  const messages = fc.oneof(
    groupedHistory.map((groups) => groups.flat()),
    anyJson.map((input) => [call(input)]),
  );
  fc.assert(
    fc.property(messages, odd, (list, more) =>
      list.every((message) => {
        const given = { ...message, ...more };
        return tried(() => canonicalMessage(given, {})) === tried(() => canonicalJson(given));
      }),
    ),
    runs,
  );
});

test.each<[string, unknown]>([
  ["what says itself how it is written", { at: { toJSON: () => "1970" } }],
  ["bytes", { data: new Uint8Array([1, 2]) }],
  ["a number that JSON does not have", { size: NaN }],
  ["a map", { map: new Map([["a", 1]]) }],
  ["numbers as keys", { 10: "a", 9: "b" }],
  ["a function", { run: () => 1 }],
])("[P2] %s among the arguments is written as ever", (_, input) => {
  expect(tried(() => canonicalMessage(call(input), {}))).toBe(tried(() => canonicalJson(call(input))));
});

test("[P2] arguments in a circle are an error, not the end of the program", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => canonicalMessage(call(circle), {})).toThrow(/circle/);
});
