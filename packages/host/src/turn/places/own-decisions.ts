import type { CompactionEntry, SessionEntry } from "@galley/engine";

/** Which ids belong to messages of the turn itself, which are not written yet. */
export interface OwnIds {
  readonly inputId: string;
  readonly isStep: (id: string) => boolean;
}

/**
 * A decision as it is written before what it was made for: what it says of the turn's own messages is left out, and they stand
 * behind it. Nothing where nothing is left of it.
 */
export function withoutOwnMessages(entry: SessionEntry, own: OwnIds): SessionEntry | undefined {
  const isOwn = (id: string): boolean => id === own.inputId || own.isStep(id);
  if (entry.type === "compaction") return compactionOf(entry, own, isOwn);
  if (entry.type !== "injection") return entry;
  const { beforeEntryId } = entry;
  return beforeEntryId !== null && !own.isStep(beforeEntryId) ? entry : undefined;
}

function compactionOf(entry: CompactionEntry, { isStep }: OwnIds, isOwn: (id: string) => boolean): CompactionEntry {
  const { firstKeptEntryId, maskedBefore, carried, shrunk, injections, ...rest } = entry;
  const before = (id: string | null | undefined): string | null =>
    id === null || id === undefined || isOwn(id) ? null : id;
  const frozen = injections?.filter(({ beforeEntryId }) => beforeEntryId !== null && !isStep(beforeEntryId)) ?? [];
  const stays = carried?.filter(({ id }) => !isOwn(id)) ?? [];
  return {
    ...rest,
    firstKeptEntryId: before(firstKeptEntryId),
    maskedBefore: before(maskedBefore),
    ...(stays.length > 0 ? { carried: stays } : {}),
    ...(frozen.length > 0 ? { injections: frozen } : {}),
    ...(shrunk ? { shrunk: shrunk.filter(({ entryId }) => !isStep(entryId)) } : {}),
  };
}
