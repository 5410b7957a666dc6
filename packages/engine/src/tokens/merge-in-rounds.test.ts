import fc from "fast-check";
import ranks from "gpt-tokenizer/bpeRanks/cl100k_base";
import { test } from "vitest";
import { runs } from "../model/history.test-support.ts";
import { mergeBytes } from "./merge-bytes.ts";
import { mergeInRounds } from "./merge-in-rounds.ts";
import { vocabulary } from "./vocabulary.ts";

const entries = vocabulary(ranks);
const inHeap = mergeBytes(entries);

/** Bytes of which many pairs are tokens: few letters, words, runs. */
const mergeable = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.constantFrom(..."abenrst ".split("")), { maxLength: 400 }).map((letters) => asciiBytes(letters.join(""))),
  fc
    .array(fc.constantFrom("a", "aa", "ing", "the", "    ", "==", "\n"), { maxLength: 200 })
    .map((words) => asciiBytes(words.join(""))),
);

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

test("[F4] long pieces are counted in rounds to the very count that the heap gives", () => {
  fc.assert(
    fc.property(mergeable, (bytes) => mergeInRounds(entries, bytes, bytes.length) === inHeap(bytes, bytes.length)),
    { numRuns: runs.numRuns * 3 },
  );
});
