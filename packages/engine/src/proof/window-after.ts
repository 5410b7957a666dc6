import { view } from "../fit/log/view.ts";
import { shortened } from "../fit/rungs/shorten-results.ts";
import type { SessionEntry } from "../model/entries.ts";
import { groupBy } from "../model/group-by.ts";
import type { ModelMessage } from "../model/messages.ts";

/** What is left of a log behind its last entry. */
export interface WindowAfter {
  readonly summary: string | undefined;
  /** As they are sent: results that the compaction in force has cleared or shortened are notes. */
  readonly messages: readonly ModelMessage[];
}

/** What a model would read of a path next: the summary, what was carried and kept, and what came after [M5]. */
export function windowAfter(path: readonly SessionEntry[]): WindowAfter {
  const { compaction, messages, pins } = view(path);
  const cuts = groupBy(compaction?.shrunk ?? [], ({ entryId }) => entryId);
  const masked = messages.findIndex(({ id }) => id === compaction?.maskedBefore);
  const form = { handleOf: () => undefined, pinned: pins.ids };
  return {
    summary: compaction?.summary,
    messages: messages.map((entry, index) => shortened(entry, index < masked, cuts, form)),
  };
}
