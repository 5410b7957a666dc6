import { expect, test } from "vitest";
import { expandPlaceholders } from "../compose/macros/placeholders.ts";
import { selectRecipe } from "../compose/preset/select-recipe.ts";
import { tavernMacros } from "../compose/macros/tavern-macros.ts";
import { mediaRuleFor } from "../tokens/catalogue/media-rules.ts";
import { familyOf } from "../tokens/counters/tokenizer-family.ts";
import { sentencesOf } from "./compactor/sentences.ts";

// No figure is asserted: whatever looks again at every place what it has looked at before does not end within the time
// that a test has, with texts of this length.
const length = 300_000;
const pieces = [
  "=",
  ".",
  ")",
  '"',
  "”",
  "。”",
  " ",
  "\n",
  "\r",
  "{{",
  "}}",
  "{{a",
  "{{ ",
  "<",
  "<!--",
  "*",
  "#",
  "`",
  "1,",
].concat("claude-", "{{random:a,b::", "{{setvar::a::", "<START>", "https:", "-", "\ud800", "\u0000");
const texts = pieces.map((piece): [string, string] => [piece, `a${piece.repeat(Math.ceil(length / piece.length))}b`]);

test.each(texts)("[E] a text of nothing but %j is read in one pass", (_, text) => {
  expect(sentencesOf(text).length).toBeGreaterThanOrEqual(0);
  expect(
    expandPlaceholders(
      text,
      () => undefined,
      () => {},
    ),
  ).toBe(text);
  const expand = tavernMacros({ lookup: () => undefined, now: "2026-11-15T21:30:00+08:00", chat: [] });
  expect(typeof expandOrRefuse(expand, text)).toBe("string");
});

/** Macros without end are refused, which is an answer too. */
function expandOrRefuse(expand: ReturnType<typeof tavernMacros>, text: string): string {
  try {
    return expand(text, () => {});
  } catch (error) {
    return String(error);
  }
}

test.each(texts)("[E] a model whose name is nothing but %j is unknown, at once", (piece, text) => {
  expect(familyOf(text)).toBe(piece === "claude-" ? "claude-4.7" : "other");
  expect(mediaRuleFor(text).kind).toBe(piece === "claude-" ? "anthropic" : "unknown");
});

test("[C2] a pattern of many stars takes no longer than its length", () => {
  const recipe = { id: "r", name: "r", steps: [], modelFilter: [`${"*a".repeat(5000)}*b`, "*"] };
  expect(selectRecipe([recipe], "a".repeat(length)).pattern).toBe("*");
});
