import type { Arrangement } from "../compose/place/arrange.ts";
import { isFrozen } from "../compose/place/place-items.ts";
import type { ResolvedItem, ResolvedPreset } from "../compose/preset/resolve-preset.ts";
import { handleOf } from "../model/handle.ts";
import type { ModelMessage } from "../model/messages.ts";
import { hintsOf, type BuildRequest } from "./window/build-request.ts";
import type { Droppable } from "./rungs/decide.ts";
import { openHistory, type History } from "./rungs/history.ts";
import type { NoteForm } from "./rungs/shorten-results.ts";
import { resolveLimits, type Limits } from "./rungs/limits.ts";
import { normalize, type Normalized } from "./log/normalize.ts";
import { hintMessage, openFixedParts, scanFacts, summaryOf, type FixedParts } from "./fixed-parts.ts";
import type { TokenAccount } from "../tokens/account.ts";
import { sizeRule, type SizeRule } from "./tavern-sizes.ts";
import { checkEntry, isPlainMessage } from "./log/check-entry.ts";
import { type SessionView, view } from "./log/view.ts";
import { giveCounts, type Window } from "./window/window-memory.ts";
import type { PinEntry } from "../model/entries.ts";

/** A request with everything read, resolved and measured that does not depend on what is left out. */
export interface Prepared {
  readonly request: BuildRequest;
  readonly limits: Limits;
  readonly window: Window;
  readonly view: SessionView;
  readonly normalized: Normalized;
  /** In the form of notes that the compaction in force was made with. */
  readonly history: History;
  /** Which message of the log one is, from 1; 0 for those that the build made up. */
  readonly ordinalOf: (entryId: string) => number;
  readonly resolved: ResolvedPreset;
  readonly arrangement: Arrangement;
  readonly summary: ModelMessage | undefined;
  readonly summaryTokens: number;
  readonly hint: ModelMessage | undefined;
  /** What is sent in any case but for the summary. */
  readonly fixedTokens: number;
  /** Of these, what the session's head costs. */
  readonly headTokens: number;
  /** Sentences that are pinned, as messages behind the head [R6]. */
  readonly pinned: readonly PinnedText[];
  /** Of what is fixed, what these cost. */
  readonly pinnedTokens: number;
  readonly droppable: readonly Droppable[];
  /** What the history's sizes hold besides its messages, which those of a window that is known do not. */
  readonly leavingTokens: number;
  /** By step, the id of the message that a frozen injection stands before; `null` for the end. */
  readonly frozen: ReadonlyMap<string, { readonly before: string | null; readonly message: ModelMessage }>;
}

export function prepare(request: BuildRequest, recalled?: Window): Prepared {
  const limits = resolveLimits(request.config, request.preset?.context);
  const prepared = recalled && prepareWindow(request, limits, recalled);
  // Where something has to be decided, what is remembered is put aside, so that it never shows in what is decided.
  if (prepared && fitsAsItIs(prepared)) return prepared;
  if (recalled) giveCounts(recalled, request.account);
  return prepareWindow(request, limits, openWindow(request));
}

/** Reads the window from the log. */
function openWindow({ entries, added, leafId, preset }: BuildRequest): Window {
  const seen = view(entries, { added, leafId });
  for (const entry of [seen.compaction, ...seen.injections.map((injection) => injection.entry)]) {
    if (entry) checkEntry(entry, entries);
  }
  for (const entry of seen.messages) if (!isPlainMessage(entry)) checkEntry(entry, entries);
  return {
    view: seen,
    normalized: normalize(seen.messages, seen.head, preset?.postProcessing?.keepBlank),
    known: undefined,
  };
}

function fitsAsItIs(prepared: Prepared): boolean {
  const { request, limits, window, fixedTokens, summaryTokens, droppable } = prepared;
  if (request.overflowHint) return false;
  if (hasTooMany(prepared)) return false;
  let tokens = fixedTokens + summaryTokens + prepared.leavingTokens + (window.known?.total ?? Infinity);
  for (const item of droppable) tokens += item.tokens;
  return tokens <= limits.tokens;
}

/** Whether there are more messages than may be sent. System messages of the history are not counted [F5]. */
export function hasTooMany({ limits, history }: Prepared): boolean {
  if (limits.messages === Infinity) return false;
  return history.entries.filter((entry) => entry.message.role !== "system").length > limits.messages;
}

function prepareWindow(request: BuildRequest, limits: Limits, window: Window): Prepared {
  const { account } = request;
  const { view, normalized } = window;
  const { compaction } = view;
  const { head } = normalized;
  const chat = head.length === 0 ? normalized.history : [...head, ...normalized.history];
  const fixedParts = openFixedParts(request, request.runtimeInit ?? view.runtimeInit, chat, () =>
    scanFacts(window, limits, account),
  );
  const frozen = frozenInjections(view);
  let headTokens = 0;
  for (const entry of head) headTokens += account.countMessage(entry.message);
  const sizes = sizeRule(request, fixedParts.resolved);
  const weighed = weighItems(fixedParts, sizes, { view, normalized, frozen, account });
  const pinned = pinnedTexts(view.pins.texts);
  let pinnedTokens = 0;
  for (const { message } of pinned) pinnedTokens += account.countMessage(message);
  let fixedTokens = fixedParts.overhead + headTokens + pinnedTokens + sizes.added + weighed.fixedTokens;
  const hints = hintsOf(request);
  const hint = hints && hintMessage(hints);
  if (hint) fixedTokens += account.countMessage(hint);
  const ordinalOf = ordinalFinder(view);
  const summary = compaction && summaryOf(compaction);
  return {
    request,
    limits,
    window,
    view,
    normalized,
    history: openHistory({
      entries: normalized.history,
      compaction,
      account,
      frozenTokens: weighed.byMessage,
      perMessage: sizes.perMessage,
      pinned: view.pins.ids,
      notes:
        (compaction && !compaction.ordinals) || request.config.recall === false ? plainNotes : notesWith(ordinalOf),
      maskedBefore: window.known?.maskedBefore,
    }),
    ordinalOf,
    resolved: fixedParts.resolved,
    arrangement: fixedParts.arrangement,
    summary: summary === undefined ? undefined : { role: "user", content: summary },
    summaryTokens: summary === undefined ? 0 : account.countPlain(summary),
    hint,
    fixedTokens,
    headTokens,
    pinned,
    pinnedTokens,
    droppable: weighed.droppable,
    leavingTokens: weighed.leavingTokens + sizes.perMessage * normalized.history.length,
    frozen,
  };
}

interface Weighed {
  /** Of what is always sent. */
  readonly fixedTokens: number;
  readonly droppable: readonly Droppable[];
  /** By message, what leaves with it. */
  readonly byMessage: ReadonlyMap<number, number>;
  /** Of those, what does so because the preset says so. */
  readonly leavingTokens: number;
}

/** Sorts what items and frozen injections cost by when they go: never, by priority, or with a message. */
function weighItems(
  { itemTokens, resolved }: FixedParts,
  sizes: SizeRule,
  { view, normalized, frozen, account }: Pick<Prepared, "view" | "normalized" | "frozen"> & { account: TokenAccount },
): Weighed {
  const byMessage = new Map<number, number>();
  const leaveWith = (index: number, tokens: number): void =>
    void byMessage.set(index, (byMessage.get(index) ?? 0) + tokens);
  let fixedTokens = 0;
  let leavingTokens = 0;
  for (const { before, message } of frozen.values()) {
    const tokens = account.countMessage(message);
    const at = normalized.history.findIndex((entry) => entry.id === before);
    if (at < 0) fixedTokens += tokens;
    else leaveWith(at, tokens);
  }
  const droppable = new Map<string | ResolvedItem, Writable<Droppable>>();
  const counted = normalized.history.length - (resolved.isPrefilled ? 1 : 0);
  for (const [item, own] of itemTokens) {
    const tokens = sizes.itemTokens(item, own);
    const { id, priority, priorityBlock: name } = item;
    if (frozen.has(id) || view.compaction?.droppedSteps?.includes(id)) continue;
    if (isLeaving(item) && counted > 0) {
      const at = counted - item.place.depth;
      if (at < 0 && hasCut(view)) continue;
      leaveWith(Math.min(Math.max(at, 0), normalized.history.length - 1), tokens);
      leavingTokens += tokens;
    } else if (priority === undefined) fixedTokens += tokens;
    else {
      const block = droppable.get(name ?? item) ?? { ids: [], priority, tokens: 0, fillsRoom: name !== undefined };
      block.ids = [...block.ids, id];
      block.tokens += tokens;
      droppable.set(name ?? item, block);
    }
  }
  return { fixedTokens, droppable: [...droppable.values()], byMessage, leavingTokens };
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** True for an injection that goes when the message it stands before has to go. */
export function isLeaving(item: ResolvedItem): item is ResolvedItem & { readonly place: { readonly kind: "depth" } } {
  return item.place.kind === "depth" && item.strategy?.leavesWithHistory === true && !isFrozen(item);
}

/** Whether messages lie behind the oldest that is read. */
export function hasCut({ summarised, dropped }: SessionView): boolean {
  return summarised.count + dropped.count > 0;
}

const plainNotes: NoteForm = { handleOf: () => undefined };

function notesWith(ordinalOf: (entryId: string) => number): NoteForm {
  return {
    handleOf(entryId) {
      const ordinal = ordinalOf(entryId);
      return ordinal > 0 ? handleOf(ordinal) : undefined;
    },
  };
}

/** The same with notes as new decisions make them: with handles, where somebody can ask by them. */
export function withHandles(prepared: Prepared): Prepared {
  if (prepared.history.notes !== plainNotes || prepared.request.config.recall === false) return prepared;
  return { ...prepared, history: prepared.history.withNotes(notesWith(prepared.ordinalOf)) };
}

/** Finds nothing out before it is asked: most builds leave nothing out. */
function ordinalFinder({ messages, ordinals }: SessionView): Prepared["ordinalOf"] {
  let known: ReadonlyMap<string, number> | undefined;
  return (entryId) => {
    known ??= new Map(messages.map(({ id }, index) => [id, ordinals[index] ?? 0]));
    return known.get(entryId) ?? 0;
  };
}

const nothingFrozen: Prepared["frozen"] = new Map();

function frozenInjections({ injections, messages }: SessionView): Prepared["frozen"] {
  if (injections.length === 0) return nothingFrozen;
  return new Map(
    injections.map(({ entry, at }) => [entry.stepId, { before: messages[at]?.id ?? null, message: entry.message }]),
  );
}

/** A sentence that is pinned, as it is sent. */
interface PinnedText {
  readonly id: string;
  readonly message: ModelMessage;
}

const made = new WeakMap<PinEntry, PinnedText>();

/**
 * With the user's voice, and not the system's: a model that may pin must not get to speak as the system. Made once for each
 * pin, so that its size and hash are known afterwards.
 */
function pinnedTexts(pins: readonly PinEntry[]): readonly PinnedText[] {
  return pins.map((pin) => {
    const known = made.get(pin);
    if (known) return known;
    const by = pin.by === "model" ? "assistant" : "user";
    const text: PinnedText = {
      id: pin.id,
      message: { role: "user", content: `[Pinned by the ${by}]\n${pin.text ?? ""}` },
    };
    made.set(pin, text);
    return text;
  });
}
