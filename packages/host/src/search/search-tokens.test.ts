import { expect, test } from "vitest";
import { fold, tokensOf } from "./search-tokens.ts";

test.each([
  ["words, in lower case", "The Deploy FAILED", "the deploy failed"],
  ["signs of punctuation part words", "foo_bar chat.context-new 3.14 C++", "foo bar chat context new 3 14 c"],
  ["Chinese as pairs, each sign beginning one", "数据库迁移", "数据 据库 库迁 迁移 移"],
  ["punctuation parts Chinese as well", "你好，世界。", "你好 好 世界 界"],
  ["Chinese and English side by side", "Redis集群redis", "redis 集群 群 redis"],
  ["full width and compatibility forms", "ＡＢＣ１２ ①㎏ ﬁn", "abc12 1kg fin"],
  ["half-width Katakana and the long vowel", "ﾃﾞｰﾀ を使う", "デー ータ タ を使 使う う"],
  ["Hangul, whose particles stick to the words", "학교에서", "학교 교에 에서 서"],
  ["decomposed Hangul and accents", "학교 café", "학교 교 café"],
  ["Thai", "ครับ", "คร รั ับ บ"],
  ["Greek, whose last sigma looks different", "ΟΔΟΣ οδος", "οδοσ οδοσ"],
  ["signs beyond the basic plane", "𠀀𠀁 🎉", "𠀀𠀁 𠀁 🎉"],
  ["a heart with its variation selector", "❤️", "❤"],
  ["no letters at all", '!!! "，" * ( ) -- \u0000 \ud800', ""],
])("[W8] tokens: %s", (_, text, expected) => {
  const tokens = tokensOf(fold(text)).map((token) => token.text);
  expect(tokens.join(" ")).toBe(expected);
});

test("[W8] a word of any length has a short token", () => {
  const [token, ...others] = tokensOf(fold("𝐀".repeat(500_000) + "z".repeat(500_000)));
  expect(others).toEqual([]);
  expect(token?.text).toBe("a".repeat(64));
  const beyond = tokensOf("𐐨".repeat(100))[0]?.text ?? "";
  expect(beyond.isWellFormed()).toBe(true);
});
