import type { BuildRequest } from "./build-request.ts";
import { checkEntry, isPlainMessage } from "../log/check-entry.ts";
import type { Limits } from "../rungs/limits.ts";
import { normalize } from "../log/normalize.ts";
import { openReach } from "./open-reach.ts";
import { view } from "../log/view.ts";
import type { Window } from "./types.ts";

/** Reads the window from the log. Unless all of it is wanted, only what may be sent is checked and looked at closely. */
export function openWindow(request: BuildRequest, limits: Limits, isWhole: boolean): Window {
  const { entries, added, leafId, config, account } = request;
  // A summary needs all of it.
  const needsAll = isWhole || config.enableCompaction !== false;
  const seen = view(entries, {
    ...(added ? { added } : {}),
    ...(leafId === undefined ? {} : { leafId }),
    ...(needsAll ? {} : { reach: openReach(limits, account) }),
  });
  for (const entry of [seen.compaction, ...seen.injections.map((injection) => injection.entry)]) {
    if (entry) checkEntry(entry, entries);
  }
  for (const entry of seen.messages) if (!isPlainMessage(entry)) checkEntry(entry, entries);
  return { view: seen, normalized: normalize(seen.messages, seen.head), known: undefined };
}
