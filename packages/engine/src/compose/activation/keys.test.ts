import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { keyMatcher } from "./key-matcher.ts";
import { lowerCodes, special } from "./letter-case.ts";
import { linearRegex } from "./linear-regex.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", " ", "é", "茶"), maxLength: 12 });

test("[K1] all keys are found in one pass, wherever they stand, and no others", () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 30 }), fc.array(letters), (keys, pieces) => {
      const own = [...new Set(keys)];
      const text = pieces.join("");
      const found = new Set<string>();
      keyMatcher(own).scan(text, (key, _, from, to) => {
        expect(text.slice(from, to)).toBe(own[key]);
        found.add(own[key] ?? "");
      });
      expect(found).toEqual(new Set(own.filter((key) => key !== "" && text.includes(key))));
    }),
    runs,
  );
});

test("[K1] in lower case a key is found where the text in lower case has it", () => {
  const cased = fc.string({
    unit: fc.constantFrom("a", "A", "k", "\u212A", "İ", "i", "Σ", "ς", "ß", "ẞ", "𐐀", "𐐨", "😀", " "),
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(cased, { maxLength: 20 }), fc.array(cased), (keys, pieces) => {
      const own = [...new Set(keys.map((key) => key.toLowerCase()))];
      const text = pieces.join("");
      const found = new Set<string>();
      keyMatcher(own, true).scan(text, (key) => found.add(own[key] ?? ""));
      expect(found).toEqual(new Set(own.filter((key) => key !== "" && text.toLowerCase().includes(key))));
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

test("[K1] keys of thousands of different characters are found too", () => {
  const han = (seed: number): string => String.fromCharCode(0x4e_00 + ((seed * 7919) % 9000));
  const keys = Array.from({ length: 4000 }, (_, index) => han(index) + han(index % 50) + han(index % 7));
  const text = Array.from(
    { length: 4000 },
    (_, index) => han(index % 60) + han(index % 50) + (keys[index * 3] ?? ""),
  ).join("");
  const found = new Set<string>();
  keyMatcher(keys).scan(text, (key) => found.add(keys[key] ?? ""));
  expect(found.size).toBeGreaterThan(1000);
  expect(found).toEqual(new Set(keys.filter((key) => text.includes(key))));
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
