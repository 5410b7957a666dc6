import { expect, test } from "vitest";
import { onOneLine, shorten } from "./short-text.ts";

test("a text is cut behind a character, never inside of one", () => {
  expect(shorten("👩‍🚀 Ada", 3)).toBe("👩‍🚀…");
  expect(shorten("👍👍👍", 2)).toBe("👍👍…");
  expect(["👍👍", "ab", ""].map((text) => shorten(text, 2))).toEqual(["👍👍", "ab", ""]);
  expect(shorten("Answer the crew", 11)).toBe("Answer the…");
});

test("a text of many lines is shown on one", () => {
  expect(onOneLine("  one\n\n\ttwo   three ", 7)).toBe("one two…");
  expect(onOneLine("one\ntwo", 7)).toBe("one two");
});
