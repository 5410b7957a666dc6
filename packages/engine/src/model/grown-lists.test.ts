import fc from "fast-check";
import { expect, test } from "vitest";
import { growList, knownPrefix } from "./grown-lists.ts";

function commonItems(before: readonly unknown[], after: readonly unknown[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) length += 1;
  return length;
}

const steps = fc.array(fc.record({ of: fc.nat(), cut: fc.nat(3), added: fc.nat(3) }), { maxLength: 30 });

test("[F14, T11] whichever list grows from which, no more counts as known than two lists have in common", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const lists: (readonly object[])[] = [[{}, {}, {}]];
      for (const { of, cut, added } of all) {
        const list = lists[of % lists.length] ?? [];
        const items = Array.from({ length: added }, () => ({}));
        const from = Math.max(0, list.length - cut);
        const grown = growList(list, items, from);
        expect(grown).toEqual([...list.slice(0, from), ...items]);
        lists.push(grown);
      }
      for (const one of lists) {
        for (const other of lists) expect(knownPrefix(one, other)).toBeLessThanOrEqual(commonItems(one, other));
      }
    }),
  );
});

test("[T11] of a list that grows turn by turn all is known but what is new, also where its end moves", () => {
  let list: readonly object[] = [{}, {}];
  for (let turn = 0; turn < 50; turn += 1) {
    // A branch that is dropped again, as of a turn that was aborted.
    growList(list, [{}]);
    const next = growList(list, [{}, {}], list.length - 1);
    expect(knownPrefix(list, next)).toBe(list.length - 1);
    list = next;
  }
});

test("a list that was changed all the same is compared again", () => {
  const before = [{}, {}];
  const after = growList(before, [{}]);
  before[1] = {};
  expect(knownPrefix(before, after)).toBe(0);
  before.length = 1;
  expect(knownPrefix(before, after)).toBe(0);
});
