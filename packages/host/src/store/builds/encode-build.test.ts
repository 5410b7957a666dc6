import fc from "fast-check";
import { expect, test } from "vitest";
import {
  absoluteRows,
  applyDifference,
  difference,
  readNumbers,
  readRows,
  relativeRows,
  stretchesOf,
  writeNumbers,
  writeRows,
} from "./encode-build.ts";

// Few different items, so that much is found again, in other places and twice.
const list = fc.array(fc.nat({ max: 12 }), { maxLength: 30 });

test("[P2] any list reads back from any other one and what differs", () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      expect(applyDifference(before, difference(before, after))).toEqual(after);
      expect(readNumbers(before, writeNumbers(stretchesOf(after)))).toEqual(after);
    }),
    { numRuns: 1000 },
  );
});

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test.each([
  ["appended to", numbers(1, 3000), numbers(1, 3002), 2],
  ["without its first messages", numbers(1, 3000), [1, ...numbers(40, 3002)], 3],
  [
    "with one taken out and one put in",
    numbers(1, 3000),
    [...numbers(1, 9), ...numbers(11, 2000), 7777, ...numbers(2001, 3000)],
    4,
  ],
  ["the same", numbers(1, 3000), numbers(1, 3000), 1],
  ["begun anew", numbers(1, 3000), [9001, 9002], 1],
] as const)("[P2] a list that was %s is told in few pieces", (_, before, after, pieces) => {
  expect(difference(before, after)).toHaveLength(pieces);
});

const position = fc.option(fc.nat({ max: 40 }), { nil: undefined });
const rows = fc.array(fc.tuple(fc.nat({ max: 9 }), position), { maxLength: 30 }).map((pairs) =>
  pairs.map(([id, at]) => ({
    kind: "message" as const,
    id: `\0\ud800${id}`,
    role: "user" as const,
    fate: "kept" as const,
    ...(at === undefined ? {} : { position: at }),
  })),
);

test("[P1] any ledger reads back from the one before and what differs, long or short", () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const from = relativeRows(before);
      const parsed = readRows([], writeRows([], from));
      expect(absoluteRows(parsed)).toEqual(before);
      expect(
        absoluteRows(
          readRows(parsed, writeRows(from.added, relativeRows(after, { ledger: before, rows: from.added }))),
        ),
      ).toEqual(after);
    }),
    { numRuns: 300 },
  );
});
