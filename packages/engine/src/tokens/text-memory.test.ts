import { expect, test } from "vitest";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "./account.ts";
import type { Tokenizer } from "./counters/tokenizer.ts";

function counting(): { readonly tokenizer: Tokenizer; readonly calls: () => number } {
  let calls = 0;
  const count = (text: string): number => ((calls += 1), text.length);
  return { tokenizer: { id: "letters", exactness: "exact", count }, calls: () => calls };
}

test("[F4] a message that comes back from disk is not counted again, not even by another account", () => {
  const { tokenizer, calls } = counting();
  const message: ModelMessage = { role: "user", content: "A text that is long enough to be remembered." };
  const tokens = tokenAccount(tokenizer).countMessage(message);
  const back = JSON.parse(JSON.stringify(message)) as ModelMessage;
  expect(tokenAccount(tokenizer).countMessage(back)).toBe(tokens);
  expect(calls()).toBe(1);
});

test("[F4] what another tokenizer counted is not taken over", () => {
  const content = "A text that is long enough to be remembered.";
  const { tokenizer } = counting();
  const double: Tokenizer = { ...tokenizer, id: "double", count: (text) => text.length * 2 };
  expect(tokenAccount(double).countPlain(content) - tokenAccount(tokenizer).countPlain(content)).toBe(content.length);
});

test("[F4] memory is bounded: what was not asked for lately is counted again, to the same figure", () => {
  const { tokenizer, calls } = counting();
  const account = tokenAccount(tokenizer);
  const text = (index: number): string => String(index).padEnd(100_000, "x");
  for (let index = 0; index < 200; index += 1) account.countPlain(text(index));
  expect(calls()).toBe(200);
  expect(account.countPlain(text(199))).toBe(account.countPlain(text(0)));
  expect(calls()).toBe(201);
});

test("[F4] texts that look alike at a glance are told apart", () => {
  const count = (text: string): number => text.split("b").length - 1;
  const account = tokenAccount({ id: "b", exactness: "exact", count });
  const text = (index: number): string => "a".repeat(1000 + index) + "b".repeat(index) + "a".repeat(1100 - 2 * index);
  const counts = (): number[] => Array.from({ length: 30 }, (_, index) => account.countPlain(text(index)));
  const first = counts();
  expect(first.map((tokens) => tokens - (first[0] ?? 0))).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(counts()).toEqual(first);
});
