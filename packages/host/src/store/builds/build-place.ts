/** A session by its columns. */
export interface BuildPlace {
  readonly projectId: string;
  readonly session: string;
}

/** What the rows of a session have in their columns, in each table. */
export function sessionKey({ projectId, session }: BuildPlace) {
  return { project_id: projectId, session_id: session };
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
