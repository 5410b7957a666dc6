import fc from "fast-check";
import { expect, test } from "vitest";
import { wordDiff } from "./word-diff.ts";

test("Chinese is compared word by word, not character by character nor as one word", () => {
  expect(wordDiff("飞艇的煤油税由议会征收。", "飞艇的煤油税由公会征收。")).toEqual([
    { side: "both", text: "飞艇的煤油税由" },
    { side: "left", text: "议会" },
    { side: "right", text: "公会" },
    { side: "both", text: "征收。" },
  ]);
});

test("English is compared word by word", () => {
  expect(wordDiff("The tax is low.", "The tax is high.")).toEqual([
    { side: "both", text: "The tax is " },
    { side: "left", text: "low" },
    { side: "right", text: "high" },
    { side: "both", text: "." },
  ]);
});

test("both texts can be put together again from the pieces", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "飞艇", "税", "\n", "🚀") });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const pieces = wordDiff(left, right);
      const join = (not: string): string =>
        pieces
          .filter(({ side }) => side !== not)
          .map((piece) => piece.text)
          .join("");
      expect(join("right")).toBe(left);
      expect(join("left")).toBe(right);
    }),
  );
});

test("long texts without anything in common are shown whole, soon", () => {
  const left = Array.from({ length: 20_000 }, (_, index) => `a${index}`).join(" \n");
  const right = Array.from({ length: 20_000 }, (_, index) => `b${index}`).join("\t\r");
  const pieces = wordDiff(left, right);
  expect(pieces.filter(({ side }) => side === "both").map((piece) => piece.text)).toEqual([]);
});
