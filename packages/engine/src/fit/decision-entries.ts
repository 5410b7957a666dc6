import type { Placement } from "../compose/place-items.ts";
import { hashId } from "../model/entry-ids.ts";
import type { CompactionEntry, InjectionEntry, MessageEntry, SessionEntry, Tally } from "../model/entries.ts";
import type { Applied } from "./apply-decision.ts";
import { roughTokens } from "./measure.ts";
import type { Prepared } from "./prepare.ts";

/** Text that takes the place of the messages that a decision cuts. */
export interface NewSummary {
  readonly text: string;
  /** What made it. */
  readonly by: string;
}

/** A decision as the fact that later builds apply [F8]. Its id depends on what it says and on what it follows. */
export function compactionEntry(prepared: Prepared, applied: Applied, summary?: NewSummary): CompactionEntry {
  const { view, history, request } = prepared;
  const { decision, cut } = applied;
  const { compaction } = view;
  const gone = tallyOf(cut.map((index) => history.entries[index] as MessageEntry));
  const idAt = (index: number): string | null => history.entries[index]?.id ?? null;
  const runtimeInit = request.runtimeInit ?? view.runtimeInit;
  const text = summary?.text ?? compaction?.summary;
  const by = summary?.by ?? compaction?.summarisedBy;
  const body = {
    type: "compaction",
    firstKeptEntryId: idAt(decision.firstKept),
    ...(decision.carried.length > 0
      ? { carried: decision.carried.map((index) => history.entries[index] as MessageEntry) }
      : {}),
    maskedBefore: decision.maskedBefore > 0 ? idAt(decision.maskedBefore) : null,
    droppedSteps: decision.droppedSteps,
    shrunk: decision.shrunk,
    ...(text === undefined ? {} : { summary: text }),
    ...(by === undefined ? {} : { summarisedBy: by }),
    summarised: summary ? addTallies(view.summarised, gone) : view.summarised,
    dropped: summary ? view.dropped : addTallies(view.dropped, gone),
    ...(runtimeInit ? { runtimeInit } : {}),
  } as const;
  return { id: hashId("c", [lastEntryId(prepared), body]), ts: timeOf(prepared), ...body };
}

/** Frozen injections that were sent for the first time get their place for good [C14]. */
export function injectionEntries(prepared: Prepared, placement: Placement, { sent }: Applied): InjectionEntry[] {
  const fresh = prepared.resolved.items.filter(
    (item) => item.strategy?.mode === "frozen" && item.place.kind === "depth" && item.kind === "message",
  );
  if (fresh.length === 0) return [];
  const frozen = new Set(
    [...prepared.frozen]
      .filter(([, { before }]) => before === null || sent.some(({ id }) => id === before))
      .map(([id]) => id),
  );
  return fresh.flatMap((item) => {
    const row = placement.ledger.find((candidate) => candidate.kind === "step" && candidate.id === item.id);
    const message = row?.position === undefined ? undefined : placement.messages[row.position];
    if (frozen.has(item.id) || row?.fate !== "kept" || row.position === undefined || !message) return [];
    const beforeEntryId = nextMessage(placement, row.position);
    const body = { type: "injection", stepId: item.id, beforeEntryId, message } as const;
    return [{ id: hashId("i", [lastEntryId(prepared), body]), ts: timeOf(prepared), ...body }];
  });
}

/** The id of the first history message behind a position. */
function nextMessage({ ledger, historyFrom }: Placement, position: number): string | null {
  for (let index = historyFrom; index < ledger.length; index += 1) {
    const row = ledger[index];
    if (row?.kind === "message" && row.position !== undefined && row.position > position) return row.id;
  }
  return null;
}

function tallyOf(entries: readonly MessageEntry[]): Tally {
  return { count: entries.length, tokens: entries.reduce((sum, entry) => sum + roughTokens(entry.message), 0) };
}

function addTallies(a: Tally, b: Tally): Tally {
  return { count: a.count + b.count, tokens: a.tokens + b.tokens };
}

function lastEntryId({ request }: Prepared): string | null {
  return lastEntry(request)?.id ?? null;
}

function lastEntry({ entries, added }: Prepared["request"]): SessionEntry | undefined {
  return added?.at(-1) ?? entries.at(-1);
}

/** The build's time, or that of the newest entry: the engine has no clock. */
function timeOf({ request }: Prepared): string | number {
  return request.now ?? lastEntry(request)?.ts ?? 0;
}
