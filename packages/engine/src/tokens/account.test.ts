import { expect, test } from "vitest";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "./account.ts";
import type { Tokenizer } from "./counters/tokenizer.ts";

const letters: Tokenizer = { id: "letters", exactness: "exact", count: (text) => text.length };
const empty: ModelMessage = { role: "user", content: "" };

test("[F4] texts, calls with their arguments, results and tools are counted by one account", () => {
  const account = tokenAccount(letters);
  const frame = account.countMessage(empty);
  const cost = (message: ModelMessage): number => account.countMessage(message) - frame;
  expect(cost({ role: "user", content: "12345" })).toBe(5);
  expect(cost({ role: "assistant", content: [{ type: "reasoning", text: "123" }] })).toBe(3);
  const call = (input: unknown): ModelMessage => ({
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input }],
  });
  expect(cost(call({ q: "1234" })) - cost(call({}))).toBe('{"q":"1234"}'.length - "{}".length);
  const result = (value: string): ModelMessage => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value } }],
  });
  expect(cost(result("x".repeat(100))) - cost(result(""))).toBe(100);
  const tool = { name: "f", description: "does", inputSchema: { type: "object" } };
  expect(account.countInput([empty], [tool]).tokens - account.countInput([empty]).tokens).toBe(account.countTool(tool));
});

test("[F4] a figure says what counted it, and that a picture's size is an estimate", () => {
  const account = tokenAccount(letters);
  expect(account.countInput([empty])).toMatchObject({ exactness: "exact", tokenizer: "letters" });
  const picture: ModelMessage = { role: "user", content: [{ type: "image", image: "aGk=" }] };
  expect(account.countInput([picture])).toMatchObject({ exactness: "estimated" });
});

test("[F4] a message is counted once, however often it is looked at", () => {
  let calls = 0;
  const account = tokenAccount({ ...letters, count: (text) => ((calls += 1), text.length) });
  account.countMessage(empty);
  account.countInput([empty, empty]);
  expect(calls).toBe(1);
});

test.each([
  [
    "throws",
    (): number => {
      throw new Error("no");
    },
  ],
  ["gives no number", (): number => Number.NaN],
  ["gives a fraction", (): number => 1.5],
])("[F4] a tokenizer that %s is a typed error", (_, count) => {
  expect(() => tokenAccount({ ...letters, count }).countMessage(empty)).toThrow(
    expect.objectContaining({ code: "TokenizerFailed" }),
  );
});

test("[F4] arguments that are not JSON are a typed error", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const call: ModelMessage = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input: circle }],
  };
  expect(() => tokenAccount(letters).countMessage(call)).toThrow(
    expect.objectContaining({ code: "ContextInvalidInput" }),
  );
});

test("[F4] whether a message is above a figure is told as by counting it, and a far too long result is not counted", () => {
  const counted: number[] = [];
  const account = tokenAccount({
    ...letters,
    count: (text) => counted.push(text.length) && text.length,
    atLeast: (text) => Math.floor(text.length / 2),
  });
  const result = (length: number): ModelMessage => ({
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value: "x".repeat(length) } },
    ],
  });
  expect(account.isAbove(result(10_000), 100)).toBe(true);
  expect(counted).not.toContain(10_000);
  for (const length of [0, 80, 90, 120, 199, 200, 201, 300]) {
    expect(account.isAbove(result(length), 100)).toBe(account.countMessage(result(length)) > 100);
  }
});
