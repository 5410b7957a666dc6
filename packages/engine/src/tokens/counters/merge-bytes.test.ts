import fc from "fast-check";
import ranks from "gpt-tokenizer/bpeRanks/cl100k_base";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { countByPrefixes, countInStretches, mergeBytes } from "./merge-bytes.ts";
import { mergeStretch, stretchSize } from "./merge-stretch.ts";
import { vocabulary } from "./vocabulary.ts";
import * as cl100k from "../vocabularies/cl100k_base.ts";

const entries = vocabulary(cl100k);
const stretch = mergeStretch(entries);

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Bytes of which many pairs are tokens: few letters, words, runs. */
function mergeable(maxLength: number): fc.Arbitrary<Uint8Array> {
  const size = { maxLength, size: "max" } as const;
  return fc.oneof(
    fc.uint8Array(size),
    fc.array(fc.constantFrom(..."abenrst ".split("")), size).map((letters) => asciiBytes(letters.join(""))),
    fc.array(fc.constantFrom("a", "b"), size).map((letters) => asciiBytes(letters.join(""))),
    fc
      .array(fc.constantFrom("a", "aa", "ing", "the", "    ", "==", "\n"), { ...size, maxLength: maxLength / 4 })
      .map((words) => asciiBytes(words.join(""))),
  );
}

/** The definition of a byte pair encoding, word for word: merge the leftmost pair of the lowest rank until there is none. */
function countByDefinition(bytes: Uint8Array): number {
  const cuts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  for (;;) {
    let lowest = Infinity;
    let at = -1;
    for (let index = 0; index + 2 < cuts.length; index++) {
      const rank = entries.rankOf(bytes, cuts[index] as number, cuts[index + 2] as number);
      if (rank >= 0 && rank < lowest) [lowest, at] = [rank, index];
    }
    if (at < 0) return cuts.length - 1;
    cuts.splice(at + 1, 1);
  }
}

test("[F4] merging, and the count by prefixes, give what the definition gives", () => {
  fc.assert(
    fc.property(mergeable(200), (bytes) => {
      const expected = countByDefinition(bytes);
      expect(stretch.merge(bytes, 0, bytes.length)).toBe(expected);
      expect(countByPrefixes(stretch, entries, bytes, bytes.length)).toBe(expected);
    }),
    runs,
  );
});

test("[F4] a text longer than a stretch has the count that the definition gives", () => {
  const long = fc.tuple(mergeable(stretchSize * 3), fc.nat(300)).map(([bytes, more]) => {
    const filled = new Uint8Array(Math.max(bytes.length, stretchSize + more));
    for (let at = 0; at < filled.length; at += Math.max(1, bytes.length)) {
      filled.set(bytes.subarray(0, filled.length - at), at);
    }
    return filled;
  });
  fc.assert(
    fc.property(long, (bytes) => {
      const inStretches = countInStretches(stretch, entries, bytes, bytes.length);
      expect(inStretches).toBe(countByPrefixes(stretch, entries, bytes, bytes.length));
    }),
    { numRuns: 20 },
  );
});

test("[F4] a row of one letter, whose stretches repeat, has the count of the definition", () => {
  const bytes = new Uint8Array(stretchSize * 3 + 77).fill("a".charCodeAt(0));
  expect(mergeBytes(entries)(bytes, bytes.length)).toBe(countByPrefixes(stretch, entries, bytes, bytes.length));
});

test("[J4] the vocabulary has the entries of the library under the same ranks, and no others", () => {
  const encoder = new TextEncoder();
  for (const [rank, entry] of ranks.entries()) {
    const bytes = typeof entry === "string" ? encoder.encode(entry) : Uint8Array.from(entry);
    if (entries.rankOf(bytes, 0, bytes.length) !== rank) throw new Error(`The entry of rank ${rank} is not found.`);
  }
  for (let pair = 0; pair < 0x1_00_00; pair++) {
    const [first, second] = [pair >>> 8, pair & 0xff];
    if (entries.pairRank(first, second) !== entries.pairRank(first, second))
      throw new Error(`The pair ${pair} differs.`);
  }
  const length = { minLength: 1, maxLength: 12 };
  fc.assert(
    fc.property(fc.uint8Array(length), (bytes) => {
      expect(entries.rankOf(bytes, 0, bytes.length)).toBe(entries.rankOf(bytes, 0, bytes.length));
    }),
  );
});
