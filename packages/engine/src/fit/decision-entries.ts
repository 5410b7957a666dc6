import { type Placement, isFrozen } from "../compose/place/place-items.ts";
import { hashId } from "../model/entry-ids.ts";
import type { CompactionEntry, InjectionEntry, MessageEntry, Tally } from "../model/entries.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { Applied } from "./apply-decision.ts";
import { addTallies, tallyOf } from "./log/measure.ts";
import { lastOwnEntry } from "./log/repeats.ts";
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
  const cutEntries = cut.map((index) => history.entries[index] as MessageEntry);
  const made = prepared.normalized.made;
  const gone = tallyOf(cutEntries.filter((entry) => !made.has(entry.id)));
  // What the compaction before carried lies further back than what it kept: it must not become the first that is kept.
  const before = new Set(compaction?.carried?.map((entry) => entry.id));
  const kept = history.entries.slice(decision.firstKept);
  const firstKept = kept.find((entry) => !before.has(entry.id));
  const carried = [
    ...prepared.normalized.head,
    ...decision.carried.map((index) => history.entries[index] as MessageEntry),
    ...kept.filter((entry) => before.has(entry.id)),
  ];
  const injections = liveInjections(prepared, applied);
  const firstIndex = view.messages.findIndex((entry) => entry.id === firstKept?.id);
  const unsent = tallyUnsent(prepared, firstIndex);
  const dropped = addTallies(view.dropped, unsent);
  // Masks on what is cut anyway say nothing.
  const isMasking = decision.maskedBefore > (decision.carried[0] ?? decision.firstKept);
  const idAt = (index: number): string | null => history.entries[index]?.id ?? null;
  const runtimeInit = request.runtimeInit ?? view.runtimeInit;
  const text = summary?.text ?? compaction?.summary;
  const by = summary?.by ?? compaction?.summarisedBy;
  const body = {
    type: "compaction",
    firstKeptEntryId: firstKept?.id ?? null,
    ...(carried.length > 0 ? { carried } : {}),
    ...(injections.length > 0 ? { injections } : {}),
    maskedBefore: isMasking ? idAt(decision.maskedBefore) : null,
    droppedSteps: decision.droppedSteps,
    shrunk: decision.shrunk,
    ...(text === undefined ? {} : { summary: text }),
    ...(by === undefined ? {} : { summarisedBy: by }),
    summarised: summary ? addTallies(view.summarised, gone) : view.summarised,
    dropped: summary ? dropped : addTallies(dropped, gone),
    ...(runtimeInit ? { runtimeInit } : {}),
  } as const;
  return { id: hashId("c", [lastEntryId(prepared), body], request.sha256), ts: timeOf(prepared), ...body };
}

/** Frozen injections that were sent for the first time get their place for good [C14]. In the order of their places. */
export function injectionEntries(prepared: Prepared, placement: Placement, { sent }: Applied): InjectionEntry[] {
  const wanted = new Set(prepared.resolved.items.filter(isFrozen).map((item) => item.id));
  if (wanted.size === 0) return [];
  for (const [stepId, { before }] of prepared.frozen) {
    if (before === null || sent.some((entry) => entry.id === before)) wanted.delete(stepId);
  }
  return placement.ledger
    .filter((row) => row.kind === "step" && row.fate === "kept" && wanted.has(row.id))
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
    .map(({ id: stepId, position = 0 }) => {
      const message = placement.messages[position] as ModelMessage;
      const body = { type: "injection", stepId, beforeEntryId: nextMessage(placement, position), message } as const;
      return { id: hashId("i", [lastEntryId(prepared), body], prepared.request.sha256), ts: timeOf(prepared), ...body };
    });
}

/** Those whose neighbour is still sent, each with the neighbour's id, since their own place in the log may not be read. */
function liveInjections({ view }: Prepared, { sent }: Applied): InjectionEntry[] {
  if (view.injections.length === 0) return [];
  const ids = new Set(sent.map((entry) => entry.id));
  return view.injections.flatMap(({ entry, at }) => {
    const beforeEntryId = view.messages[at]?.id;
    return beforeEntryId !== undefined && ids.has(beforeEntryId) ? [{ ...entry, beforeEntryId }] : [];
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

/** What no build sent anyway (empty, redacted, written twice) and now lies behind the first message that is kept. */
function tallyUnsent({ view, normalized }: Prepared, firstKept: number): Tally {
  const isBehind = ({ id }: MessageEntry): boolean => {
    const index = view.messages.findIndex((entry) => entry.id === id);
    return firstKept < 0 || index < firstKept;
  };
  const removed = tallyOf(normalized.removed.map(({ entry }) => entry).filter(isBehind));
  const vanished = [...view.redacted, ...view.duplicates].filter(({ at }) => firstKept < 0 || at <= firstKept);
  return addTallies(removed, { count: vanished.length, tokens: 0 });
}

/** Ids are made from the last entry, so that it must be one that stands nowhere else in the log. */
function lastEntryId({ request: { entries, added } }: Prepared): string | null {
  return lastOwnEntry(entries, added)?.id ?? null;
}

/** The build's time, or that of the newest entry: the engine has no clock. */
function timeOf({ request }: Prepared): string | number {
  return request.now ?? lastOwnEntry(request.entries, request.added)?.ts ?? 0;
}
