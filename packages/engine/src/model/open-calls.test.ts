import fc from "fast-check";
import { expect, test } from "vitest";
import { openCalls } from "./open-calls.ts";

type Call = readonly [key: string, index: number];

const step = fc.record({ key: fc.constantFrom("a", "b", "c"), does: fc.constantFrom("open", "answer", "clear") });

/** The same by a plain list. */
class ListedCalls {
  calls: readonly Call[] = [];

  do(does: "open" | "answer" | "clear", key: string, index: number): number | undefined {
    const nearest = does === "answer" ? this.calls.findLast(([own]) => own === key) : undefined;
    if (does === "open") this.calls = [...this.calls, [key, index]];
    else this.calls = does === "clear" ? [] : this.calls.filter((call) => call !== nearest);
    return nearest?.[1];
  }
}

test("[M4] a result answers the nearest open call of its id, and no call twice", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const calls = openCalls();
      const listed = new ListedCalls();
      for (const [index, { key, does }] of steps.entries()) {
        expect(calls[does](key, index) ?? undefined).toBe(listed.do(does, key, index));
        expect(calls.isEmpty).toBe(listed.calls.length === 0);
        expect([...calls.entries()].toSorted(([, a], [, b]) => a - b)).toEqual(listed.calls);
      }
    }),
  );
});
