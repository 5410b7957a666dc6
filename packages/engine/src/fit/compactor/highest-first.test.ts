import * as fc from "fast-check";
import { expect, test } from "vitest";
import { highestFirst } from "./highest-first.ts";

test("the highest come first, and equal ones stay in their order", () => {
  const numbers = fc.array(fc.oneof(fc.float({ min: 0, noNaN: true }), fc.constantFrom(0, 0.5, 1, 3e38)));
  fc.assert(
    fc.property(numbers, (values) => {
      const given = Float32Array.from(values, Math.abs);
      const expected = [...given.keys()].sort((a, b) => (given[b] ?? 0) - (given[a] ?? 0) || a - b);
      expect([...highestFirst(given)]).toEqual(expected);
    }),
  );
});
