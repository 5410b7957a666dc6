import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { minCount } from "./min-count.ts";
import { loadTokenizer } from "./load-tokenizer.ts";

const encodings = ["o200k_base", "cl100k_base", "claude", "gemini", "deepseek", "mistral@0.93"];
const pieces = [
  "a",
  "Z",
  "9",
  "'",
  "-",
  "/",
  '"',
  "(",
  "{",
  " ",
  "\n",
  "\r",
  "\t",
  "_",
  "$",
  "²",
  "é",
  "中",
  "—",
  "’",
].concat(["😀", "\u0301", "\u0661", "\u01C5", "'s", "'LL", "12345", "((", "//", "word", "ABC"]);
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(""));

test.each(encodings)("[F4] what a text has at least in %s is never more than its count", async (encoding) => {
  const tokenizer = await loadTokenizer(encoding);
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "binary", maxLength: 60 })), (value) => {
      expect(tokenizer.atLeast?.(value)).toBeLessThanOrEqual(tokenizer.count(value));
    }),
    { numRuns: runs.numRuns * 5 },
  );
});

test.each([
  ["", 0],
  ["one two three", 3],
  ["don't", 1],
  ["1234567", 3],
  ["f(x)", 2],
  ['{"a": [1, 2]}', 6],
])("%j has at least %i", (value, expected) => {
  expect(minCount(value)).toBe(expected);
});
