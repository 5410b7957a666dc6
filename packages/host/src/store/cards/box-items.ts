import type { BoxItem } from "../ports/card-store.ts";
import type { Run } from "../database/tables.ts";

/** Writes items as runs of one origin. */
export function toRuns(items: readonly BoxItem[]): string {
  const runs: [string, string[]][] = [];
  for (const { cardId, origin } of items) {
    const last = runs.at(-1);
    if (last?.[0] === origin) last[1].push(cardId);
    else runs.push([origin, [cardId]]);
  }
  return JSON.stringify(runs);
}

/** Reads the runs of a box's segments, in order. */
export function fromRuns(segments: readonly string[]): BoxItem[] {
  const items: BoxItem[] = [];
  for (const segment of segments) {
    for (const [origin, cardIds] of JSON.parse(segment) as readonly Run[]) {
      for (const cardId of cardIds) items.push({ cardId, origin });
    }
  }
  return items;
}
