import type { CompareRow } from "./compare-builds.ts";

/** A row as the list shows it; `index` is its place in the comparison. */
export interface ShownRow {
  readonly key: string;
  readonly index: number;
  readonly row: CompareRow | { readonly kind: "equal"; readonly from: number; readonly to: number };
}

/** A run of equal messages that is unfolded is followed by its messages, one row each. */
export function shownRows(rows: readonly CompareRow[], unfolded: ReadonlySet<number>): readonly ShownRow[] {
  return rows.flatMap((row, index): ShownRow[] => {
    const own = { key: `${index}`, index, row };
    if (row.kind !== "same" || !unfolded.has(index)) return [own];
    const equal = Array.from({ length: row.count }, (_, offset): ShownRow => {
      const pair = { from: row.from + offset, to: row.to + offset };
      return { key: `${index} ${offset}`, index, row: { kind: "equal", ...pair } };
    });
    return [own, ...equal];
  });
}
