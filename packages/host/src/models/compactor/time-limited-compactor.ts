import type { Compactor } from "@galley/engine";
import { withinTime } from "../../limits/within-time.ts";

/** A compactor that rejects with `CompactionFailed` when the one inside has not answered in time. */
export function timeLimitedCompactor(compactor: Compactor, milliseconds: number): Compactor {
  return {
    id: compactor.id,
    compact: (request) => withinTime(milliseconds, `compactor ${compactor.id}`, () => compactor.compact(request)),
  };
}
