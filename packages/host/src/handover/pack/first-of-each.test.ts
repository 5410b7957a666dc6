import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firstOfEach } from "./first-of-each.ts";

test("[H2] every id stays once, where it stood first", () => {
  const id = fc.oneof(fc.string({ maxLength: 3 }), fc.stringMatching(/^[0-9a-f]{32}$/), fc.constantFrom("a", "b"));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), (ids) => {
      expect(firstOfEach(ids)).toEqual([...new Set(ids)]);
    }),
    { numRuns: 500 },
  );
  const many = Array.from({ length: 30_000 }, (_, index) => `card-${index % 20_000}-end-that-is-always-the-same`);
  expect(firstOfEach(many)).toEqual([...new Set(many)]);
});
