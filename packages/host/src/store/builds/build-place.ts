import type { BuildRow } from "../database/tables.ts";
import type { Transaction } from "../database/database.ts";
/** A session by its columns, as the rows of each table have them. */
export type BuildPlace = Pick<BuildRow, "project_id" | "session_id">;

export function holdBuilds(tx: Transaction, { project_id, session_id }: BuildPlace): Promise<void> {
  return tx.hold(`builds:${project_id}:${session_id}`);
}

export type Range = readonly [first: number, last: number];

/** Reading a gap of this many items costs less than another range. */
const smallGap = 4;

/** Most of what is sent was numbered in one go or as it came, so that few ranges hold it. */
export function rangesOf(numbers: readonly number[]): readonly Range[] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + smallGap) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
