import { noEffects } from "../compose/activation/activation.ts";
import { type Placement, isFrozen } from "../compose/place/place-items.ts";
import { hashId } from "../model/entry-ids.ts";
import type {
  ActivationEntry,
  CompactionEntry,
  InjectionEntry,
  MessageEntry,
  Ordinals,
  RecordedIndex,
  Tally,
} from "../model/entries.ts";
import { countUser } from "../compose/preset/scan-input.ts";
import { behindOf } from "./fixed-parts.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import type { ModelMessage } from "../model/messages.ts";
import type { Applied } from "./apply-decision.ts";
import { addTallies, tallyOf } from "./log/measure.ts";
import { lastOwnEntry } from "./log/repeats.ts";
import { trustEntry } from "./log/check-entry.ts";
import { headLength } from "../model/message-entry.ts";
import { runWhole } from "./compactor/run-paused.ts";
import { growNames } from "./grow-names.ts";
import type { Prepared } from "./prepare.ts";

/** Text that takes the place of the messages that a decision cuts. */
export interface NewSummary {
  readonly text: string;
  /** What made it. */
  readonly by: string;
  readonly names: RecordedIndex;
}

/** A decision as the fact that later builds apply [F8]. Its id depends on what it says and on what it follows. */
export function compactionEntry(prepared: Prepared, applied: Applied, summary?: NewSummary): CompactionEntry {
  const { view, history, request } = prepared;
  const { decision, cut } = applied;
  const { compaction, pins } = view;
  const { head } = prepared.normalized;
  const cutEntries = cut.map((index) => history.entries[index] as MessageEntry);
  const made = prepared.normalized.made;
  const gone = tallyOf(cutEntries.filter((entry) => !made.has(entry.id)));
  const { firstKept, carried } = keptBy(prepared, applied);
  const injections = liveInjections(prepared, applied);
  const firstIndex = view.messages.findIndex((entry) => entry.id === firstKept?.id);
  const unsent = tallyUnsent(prepared, firstIndex);
  const dropped = addTallies(view.dropped, unsent);
  // Masks on what is cut anyway say nothing.
  const isMasking = decision.maskedBefore > (decision.carried[0] ?? decision.firstKept);
  // The first that is sent from there on: the next build does not read the others.
  const unmasked = decision.carried.find((index) => index >= decision.maskedBefore) ?? decision.firstKept;
  const masksUntil = history.entries[Math.max(decision.maskedBefore, unmasked)]?.id ?? null;
  const runtimeInit = request.runtimeInit ?? view.runtimeInit;
  const text = summary?.text ?? compaction?.summary;
  const by = summary?.by ?? compaction?.summarisedBy;
  const names = summary?.names ?? namesOnward(prepared, applied);
  const body = {
    type: "compaction",
    firstKeptEntryId: firstKept?.id ?? null,
    ...(carried.length > 0 ? { carried } : {}),
    ...(injections.length > 0 ? { injections } : {}),
    maskedBefore: isMasking ? masksUntil : null,
    droppedSteps: decision.droppedSteps,
    shrunk: decision.shrunk,
    ...(text === undefined ? {} : { summary: text }),
    ...(by === undefined ? {} : { summarisedBy: by }),
    ...(names ? { names } : {}),
    ...(pins.entries.length > 0 ? { pins: pins.entries } : {}),
    ...(headLength(carried) > head.length ? { head: head.length } : {}),
    ordinals: ordinalsOf(prepared, { firstKept, carried }),
    summarised: summary ? addTallies(view.summarised, gone) : view.summarised,
    dropped: summary ? dropped : addTallies(dropped, gone),
    ...(runtimeInit ? { runtimeInit } : {}),
    ...carriedActivation(prepared, applied),
  } as const;
  // Its thousands of rows follow from the log that the id is made from: hashing them would take longer than the index.
  const said = names ? { ...body, names: { ...names, rows: names.rows.length } } : body;
  return trustEntry({
    id: hashId("c", [lastEntryId(prepared), said], request.sha256),
    ts: timeOf(prepared),
    ...body,
  });
}

/** The index in force. What a decision keeps is read when it goes: only what it takes out must be read now. */
function namesOnward(prepared: Prepared, { cut }: Applied): RecordedIndex | undefined {
  const { compaction, messages } = prepared.view;
  const names = compaction?.names;
  if (!names || (cut.length === 0 && messages.some(({ id }) => id === names.through))) return names;
  return { ...names, ...runWhole(growNames(prepared)) };
}

interface KeptEntries {
  readonly firstKept: MessageEntry | undefined;
  /** In front of it. */
  readonly carried: readonly MessageEntry[];
}

/** What a decision keeps of the log. */
export function keptBy({ view, history, normalized }: Prepared, { decision }: Applied): KeptEntries {
  // What the compaction before carried lies further back than what it kept: it must not become the first that is kept.
  const before = view.carried;
  const kept = history.entries.slice(decision.firstKept);
  const carried = [
    ...normalized.head,
    ...decision.carried.map((index) => history.entries[index] as MessageEntry),
    ...kept.filter((entry) => before.has(entry.id)),
    // What a build made up, the next one makes up again.
  ].filter((entry) => !normalized.made.has(entry.id));
  return { firstKept: kept.find((entry) => !before.has(entry.id)), carried };
}

export function ordinalsOf({ ordinalOf, view, request }: Prepared, { firstKept, carried }: KeptEntries): Ordinals {
  return {
    first: firstKept ? ordinalOf(firstKept.id) : view.nextOrdinal,
    ...(carried.length > 0 ? { carried: carried.map(({ id }) => ordinalOf(id)) } : {}),
    ...(view.before > 0 ? { before: view.before } : {}),
    ...(request.config.recall ? { isTold: true } : {}),
  };
}

/** What lorebooks have to know behind a cut: nothing where the preset has none. */
function carriedActivation(prepared: Prepared, { sent }: Applied): Pick<CompactionEntry, "activation"> {
  const { resolved, view } = prepared;
  if (!resolved.timed) return view.compaction?.activation ? { activation: view.compaction.activation } : {};
  const { messages, userMessages } = chatSize(prepared);
  const kept = [...prepared.normalized.head, ...sent].filter(({ id }) => !prepared.normalized.made.has(id));
  const { sticky, cooldown } = view.activation ?? noEffects;
  const behind = { messages: messages - kept.length, userMessages: userMessages - countUser(kept) };
  return { activation: { sticky, cooldown, ...behind } };
}

/** How many messages the chat has, as a scan counts them. */
function chatSize({ view, normalized: { head, history, made } }: Prepared): ReturnType<typeof behindOf> {
  const { messages, userMessages } = behindOf(view);
  return {
    messages: messages + head.length + history.length - made.size,
    userMessages: userMessages + countUser(head) + countUser(history),
  };
}

/** What the scan of this build changed in which entries stay or stay away; and behind a cut, which are there [K2]. */
export function activationEntries(prepared: Prepared, { isNew }: Applied): ActivationEntry[] {
  const { resolved, view, request, normalized } = prepared;
  if (!resolved.timed) return [];
  const { sticky, cooldown } = view.activation ?? noEffects;
  const last = normalized.history.at(-1);
  if (!isNew && canonicalJson({ sticky, cooldown }) === canonicalJson(resolved.timed)) return [];
  const active =
    isNew && last ? { ids: resolved.activeIds, messages: chatSize(prepared).messages, lastId: last.id } : undefined;
  const body = { type: "activation", ...resolved.timed, ...(active ? { active } : {}) } as const;
  return [{ id: hashId("a", [lastEntryId(prepared), body], request.sha256), ts: timeOf(prepared), ...body }];
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
