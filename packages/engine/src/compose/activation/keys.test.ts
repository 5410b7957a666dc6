import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { type TextKey, isIn, patternList } from "./find-patterns.ts";
import { readKey } from "./keys.ts";
import { lowerCodes, special } from "./key-matcher.ts";
import { linearRegex } from "./linear-regex.ts";

const plain = { isExact: false, isWord: false, likeTavern: false };

/** Of several scripts, with letters that lower case makes longer, shorter, or another at the end of a word. */
const letters = fc.string({
  unit: fc.constantFrom(
    ...Array.from("abB1_ -éЖж茶龙王あ국"),
    "\u212A",
    "k",
    "İ",
    "i",
    "Σ",
    "ς",
    "ß",
    "ẞ",
    "𐐀",
    "𐐨",
    "😀",
    "\0",
    "\uFFFF",
  ),
  maxLength: 6,
});
const few = fc.string({ unit: fc.constantFrom("a", "b", " ", "茶", "龙"), maxLength: 8 });
const keyOf = (unit: fc.Arbitrary<string>): fc.Arbitrary<TextKey> =>
  fc
    .record({ source: unit, isExact: fc.boolean(), isWord: fc.boolean() })
    .map(({ source, ...options }) => readKey(source, { ...options, likeTavern: false }))
    .filter((key) => key.kind === "text");

/** What a scan finds, and what looking for one key after the other does. */
function bothWays(keys: readonly TextKey[], text: string): [found: TextKey[], expected: TextKey[]] {
  const list = patternList();
  const own = new Map(keys.map((key) => [list.add(key), key]));
  const finder = list.finish();
  // A text was scanned before: nothing of it may be left.
  finder.hitsOf(keys.map((key) => key.text).join(" "));
  const found = [...finder.hitsOf(text)];
  expect(new Set(found).size).toBe(found.length);
  const inOrder = [...own.keys()].filter((pattern) => found.includes(pattern));
  return [inOrder.map((pattern) => own.get(pattern) as TextKey), [...own.values()].filter((key) => isIn(text, key))];
}

test.each([
  ["of many scripts", letters],
  ["of few letters, which overlap", few],
])("[K1] keys %s are all found in one pass, wherever they stand, and no others", (_, unit) => {
  fc.assert(
    fc.property(fc.array(keyOf(unit), { maxLength: 30 }), fc.array(unit), (keys, pieces) => {
      const [found, expected] = bothWays(keys, pieces.join(""));
      expect(found).toEqual(expected);
    }),
    runs,
  );
});

test("[K1] a key alone is found where SillyTavern's own expression finds it", () => {
  fc.assert(
    fc.property(keyOf(letters), fc.array(letters), (key, pieces) => {
      const text = pieces.join("");
      const read = key.isExact ? text : text.toLowerCase();
      const word = new RegExp(`(?:^|\\W)(${key.text.replaceAll(/[.*+?^${}()|[\]\\-]/g, "\\$&")})(?:$|\\W)`);
      expect(isIn(text, key)).toBe(key.isWord ? word.test(read) : read.includes(key.text));
    }),
    runs,
  );
});

test("[K1] the table of cases says of every character what JavaScript says, or that it cannot", () => {
  const codes = lowerCodes();
  const wrong: string[] = [];
  for (let point = 0; point < 0x11_00_00; point += 1) {
    const text = String.fromCodePoint(point);
    const lower = text.toLowerCase();
    if (lower === text && codes[text.charCodeAt(0)] === text.charCodeAt(0)) continue;
    const own = codes[text.charCodeAt(0)] as number;
    if (own !== special && String.fromCharCode(own) + text.slice(1) !== lower) wrong.push(point.toString(16));
  }
  expect(wrong).toEqual([]);
});

const han = (seed: number): string => String.fromCharCode(0x4e_00 + ((seed * 7919) % 9000));
const greek = (seed: number): string => String.fromCharCode(0x3_b1 + ((seed * 31) % 1500));

test.each([
  ["begin with Han", (index: number) => han(index) + han(index % 50) + han(index % 7)],
  ["hold Han behind a letter", (index: number) => `k${han(index)}${han(index % 50)}${han(index % 7)}`],
  ["are of more letters than have a class", (index: number) => greek(index) + greek(index % 50) + greek(index % 7)],
  ["are long", (index: number) => "a".repeat(300 + (index % 40)) + (index % 300)],
])("[K1] thousands of keys that %s are found", (_, keyAt) => {
  const keys = Array.from({ length: 2000 }, (_key, index) => readKey(keyAt(index), plain) as TextKey);
  const text = Array.from({ length: 400 }, (_key, index) => keyAt(index % 60) + keyAt(index * 3) + han(index)).join("");
  const [found, expected] = bothWays(keys, text);
  expect(found.length).toBeGreaterThan(100);
  expect(found).toEqual(expected);
});

/** Patterns of all that the linear engine reads. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ alternatives: string; sequence: string; atom: string }>((tie) => ({
  alternatives: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((parts) => parts.join("|")),
  sequence: fc
    .array(fc.tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "{1,2}", "{2}", "*?")), { maxLength: 3 })
    .map((parts) =>
      parts.map(([atom, times]) => (times !== "" && /^(\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + times)).join(""),
    ),
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "a",
      "b",
      "A",
      ".",
      "[ab]",
      "[^a]",
      "[a-c\\d]",
      "\\w",
      "\\s",
      "\\S",
      "\\x61",
      "^",
      "$",
      "\\b",
      "\\B",
    ),
    tie("alternatives").map((inside) => `(?:${inside})`),
  ),
})).alternatives;

test("[K1] the linear engine finds what JavaScript's own finds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "B", "c", " ", "\n", "1", "é"), maxLength: 10 });
  fc.assert(
    fc.property(pattern, fc.constantFrom("", "i", "m", "s", "im", "y"), text, (source, flags, sample) => {
      expect(linearRegex(source, flags)?.(sample)).toBe(new RegExp(source, flags).test(sample));
    }),
    runs,
  );
});

test.each(["(a+)+$", "(a|aa)+$", "(.*)*b", "^(\\w+\\s?)*$", "a*a*a*a*a*a*a*b"])(
  "[K1] the key /%s/ is looked for in a time that grows with the text alone",
  (source) => {
    expect(linearRegex(source, "")?.(`${"a".repeat(50_000)}!`)).toBe(
      source.endsWith("b") ? false : source === "(.*)*b",
    );
  },
);

test.each(["(?=(a+)+$)b", "(a+)+\\1$", "(?<!x)(a|a)*c"])(
  "[K1] the key /%s/ is refused: it could take for ever",
  (source) => {
    expect(linearRegex(source, "")).toBeUndefined();
  },
);

test("[K1] a key that looks around is run where nothing in it repeats without end", () => {
  expect(linearRegex("(?<!red )fox", "")?.("a red fox")).toBe(false);
  expect(linearRegex("(?<!red )fox", "")?.("a grey fox")).toBe(true);
});
