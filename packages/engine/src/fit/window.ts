import type { BuildRequest } from "./build-request.ts";
import { checkEntry, isPlainMessage } from "./check-entry.ts";
import type { Limits } from "./limits.ts";
import { type Normalized, normalize } from "./normalize.ts";
import { openReach } from "./reach.ts";
import { type SessionView, view } from "./view.ts";
import type { KnownWindow } from "./window-memory.ts";

/** The part of a session that a build may send. */
export interface Window {
  readonly view: SessionView;
  readonly normalized: Normalized;
  /** What is known from the build before, when this one only adds to it. */
  readonly known: KnownWindow | undefined;
}

/** Reads the window from the log. Unless all of it is wanted, only what may be sent is checked and looked at closely. */
export function openWindow(request: BuildRequest, limits: Limits, isWhole: boolean): Window {
  const { entries, added, leafId, config, account } = request;
  // Whoever may summarise needs all of it.
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
