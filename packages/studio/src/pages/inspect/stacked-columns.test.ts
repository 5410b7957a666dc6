import fc from "fast-check";
import { expect, test } from "vitest";
import { columnWindow, roundScale, stackedColumns } from "./stacked-columns.ts";

test("segments stand on each other in one order, and their heights are shares of the scale", () => {
  const { columns, top, ticks, sources } = stackedColumns([
    { n: 1, inputTokens: 40, bySource: { history: 10, template: 30 }, compacted: false },
    { n: 2, inputTokens: 75, bySource: { depth: 5, history: 40, template: 30 }, compacted: true },
  ]);
  expect(top).toBe(80);
  expect(ticks).toEqual([0, 20, 40, 60, 80]);
  expect(sources).toEqual(["template", "depth", "history"]);
  expect(columns[1]).toEqual({
    n: 2,
    inputTokens: 75,
    compacted: true,
    segments: [
      { source: "template", tokens: 30, from: 0, to: 0.375 },
      { source: "depth", tokens: 5, from: 0.375, to: 0.4375 },
      { source: "history", tokens: 40, from: 0.4375, to: 0.9375 },
    ],
  });
});

test("the scale holds the highest column in a few round steps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000 }), (highest) => {
      const { top, ticks } = roundScale(highest);
      expect(top).toBeGreaterThanOrEqual(highest);
      expect(ticks.at(-1)).toBe(top);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.every((tick) => Number.isInteger(tick))).toBe(true);
    }),
  );
  expect(roundScale(0).top).toBe(1);
});

test("the chosen call is always in sight, and the window is full where there are enough calls", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(4999), fc.integer({ min: 1, max: 80 }), (count, at, room) => {
      const selected = at % count;
      const [from, to] = columnWindow(count, selected, room);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(from).toBeLessThanOrEqual(selected);
      expect(to).toBeGreaterThan(selected);
      expect(to - from).toBe(Math.min(count, room));
    }),
  );
});
