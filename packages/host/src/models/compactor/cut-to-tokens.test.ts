import fc from "fast-check";
import { expect, test } from "vitest";
import { cutEnd, cutMiddle, wholeSentences } from "./cut-to-tokens.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 3);

test("[F9] a text that is cut costs no more than it may, and no character is torn", () => {
  const text = fc.string({ unit: "binary", maxLength: 400 });
  fc.assert(
    fc.property(text, fc.nat(120), (whole, maxTokens) => {
      for (const cut of [cutEnd(whole, maxTokens, countTokens), cutMiddle(whole, maxTokens, countTokens)]) {
        expect(countTokens(cut)).toBeLessThanOrEqual(maxTokens);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut === whole || countTokens(whole) > maxTokens).toBe(true);
      }
    }),
  );
});

test("[F9] head and tail of a long text stay", () => {
  const cut = cutMiddle(`head ${"x".repeat(10_000_000)} tail`, 50, countTokens);
  expect(cut).toMatch(/^head x+\n\[… \d+ characters left out …\]\nx+ tail$/u);
});

test.each([
  ["It was done. It was tested. It was shi", "It was done. It was tested."],
  ["已经完成。已经测试。正在", "已经完成。已经测试。"],
  ["Short. A sentence without an end that is much too long to be lost", undefined],
  ["Version 1.2 was out", undefined],
])("[F9] a sentence that was broken off goes: %s", (text, whole = text) => {
  expect(wholeSentences(text)).toBe(whole);
});
