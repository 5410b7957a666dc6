import type { LedgerRow } from "@galley/engine";
import { expect, test } from "vitest";
import { fateOf } from "./earlier-fates.ts";

const row = (id: string, fate: "summarised" | "dropped", count: number): LedgerRow => ({
  kind: "earlier",
  id,
  role: "user",
  fate,
  count,
});
const cut = (id: string, dropped: number, summarised: number) => ({
  id,
  ts: 0,
  dropped: { count: dropped, tokens: 0 },
  summarised: { count: summarised, tokens: 0 },
});
const fates = (count: number, rows: readonly LedgerRow[], cuts: Parameters<typeof fateOf>[2]): string =>
  Array.from({ length: count }, (_, at) => fateOf(at, rows, cuts)?.fate[0]).join("");

test("check 46: each earlier message has the fate that the cut gave it which took it out", () => {
  expect(fates(3, [row("a", "summarised", 3)], [])).toBe("sss");
  const rows = [row("b", "summarised", 4), row("b", "dropped", 3)];
  expect(fates(7, rows, [cut("a", 2, 1), cut("b", 3, 4), cut("c", 9, 9)])).toBe("ddsdsss");
  // After an undo the cut is not told any more.
  expect(fates(7, rows, [])).toBe("dddssss");
});
