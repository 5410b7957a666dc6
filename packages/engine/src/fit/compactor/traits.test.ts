import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { trait } from "./cue-tables.ts";
import { cueWords, cues } from "./cues.ts";
import { signals } from "./score.ts";
import { isSure, traitsOf } from "./traits.ts";

const words = Object.values(cueWords).flatMap((cue) =>
  `${cue.words} ${cue.parts}`.split(" ").map((word) => word.replaceAll("_", " ").replaceAll("*", "s")),
);
const signs = [
  ...Array.from("aZüéßſK’'“”–—…?？؟吗呢。！359٣５_@`$/\\.-:,;)《》「」 \u00a0\u3000\u2003"),
  ..."x.ts C:\\dir `ab` a_b @me FooBar ABC ＡＢ 三天 Ω İ src/a ~/b ./c ../d /e/f http://g and/or ( ~ a. -".split(" "),
  "$ ls",
  " --flag",
  " Maria",
];
const sentence = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...signs), fc.string({ unit: "grapheme", maxLength: 3 })))
  .chain((pieces) => fc.constantFrom(pieces.join(" "), pieces.join(""), pieces.join("").toUpperCase()));

test("[F9] a pattern never matches a text that lacks the trait it needs", () => {
  const needed = [...signals, { needs: trait.deferral, pattern: cues.deferral }];
  fc.assert(
    fc.property(sentence, (text) =>
      needed.every(({ needs, pattern }) => (traitsOf(text) & needs) !== 0 || !pattern.test(text)),
    ),
    { ...runs, numRuns: runs.numRuns * 10 },
  );
});

test("[F9] where the traits of a text are sure, they say what the pattern says", () => {
  const needed = [...signals, { needs: trait.deferral, pattern: cues.deferral }];
  const plain = sentence.map((text) => text.replaceAll(/[^ -~]/gu, ""));
  fc.assert(
    fc.property(plain, (text) => {
      const traits = traitsOf(text);
      const sure = needed.filter(({ needs }) => isSure(traits, needs));
      return sure.every(({ needs, pattern }) => ((traits & needs) !== 0) === pattern.test(text));
    }),
    { ...runs, numRuns: runs.numRuns * 10 },
  );
});

test("[F9] plain talk has no trait, so that no pattern is tried on it", () => {
  expect(traitsOf("so it goes on, and the weather is nice today.")).toBe(trait.plain);
});

test.each(words)("[F9] the cue %j has the trait of a cue", (word) => {
  expect(traitsOf(`so ${word} it is`) & 127).not.toBe(0);
});
