import type { MessageEntry } from "../model/entries.ts";
import { GalleyError, someOf } from "../model/check/errors.ts";
import { groupStarts } from "../model/groups.ts";
import { isOfUser } from "../model/message-entry.ts";
import { type BuildRequest, requestCheck } from "./window/build-request.ts";
import { type Decision, outlineDecision } from "./rungs/decide.ts";
import { summaryOf } from "./fixed-parts.ts";
import { type Prepared, hasTooMany, prepare, withHandles } from "./prepare.ts";

/** What a build would have to do about its size. */
export interface Plan {
  /** The size as things stand; at least this when the build does not fit. */
  readonly tokens: number;
  /** No new decision is needed: the last compaction, if any, is applied as it is. */
  readonly fits: boolean;
  /** What would be decided when old messages are dropped. */
  readonly drop: Decision | undefined;
  /** What would be decided when a summary takes their place; nothing when compaction is off or nothing has to go. */
  readonly compact: Decision | undefined;
  /** The messages that the summary would stand for, oldest first. */
  readonly toSummarise: readonly MessageEntry[];
  /** The most that the summary may cost. */
  readonly summaryTokens: number;
  /** What the build has to fit into. */
  readonly limit: number;
}

/** The share of the target that a summary may fill. */
const summaryShare = 0.21;
/** The label in front of it takes a third. */
const minSummary = 48;
const maxSummary = 4000;

/** Says, without a model and without changing anything, what has to go [F2]. */
export function plan(request: BuildRequest): Plan {
  requestCheck(request, "");
  return planPrepared(prepare(request));
}

export function planPrepared(prepared: Prepared, tighterBy = 0): Plan {
  const { request } = prepared;
  const size = measure(prepared, prepared.limits.tokens - tighterBy, request.overflowHint ?? false);
  const tooMany = hasTooMany(prepared);
  const fitting: Plan = {
    tokens: size.tokens,
    fits: true,
    drop: undefined,
    compact: undefined,
    toSummarise: [],
    summaryTokens: 0,
    limit: prepared.limits.tokens,
  };
  if (!size.isOver && !tooMany && !request.overflowHint) return fitting;
  const limits = limitsFor(prepared, tighterBy, size.tokens);
  const summaryTokens = Math.min(maxSummary, Math.max(minSummary, Math.floor(limits.targetTokens * summaryShare)));
  const isOverTokens = size.isOver || (request.overflowHint ?? false);
  const { fixedTokens, droppable } = prepared;
  const drop = outlineDecision({
    history: withHandles(prepared).history,
    limits,
    account: request.account,
    fixedTokens,
    summaryTokens: tokensOfPresent(prepared),
    droppable,
    isOverTokens,
    tooMany,
  });
  const wantsSummary = request.config.enableCompaction !== false && drop.firstKept > 0;
  const compact = wantsSummary ? drop.withSummary(summaryTokens).decide() : undefined;
  const isUsable = compact !== undefined && compact.excess === 0;
  return {
    tokens: size.tokens,
    fits: false,
    // Found when it is asked for: builds with a summary do not ask.
    get drop() {
      return drop.decide();
    },
    compact: isUsable ? compact : undefined,
    toSummarise: isUsable ? cutMessages(prepared, compact) : [],
    summaryTokens,
    limit: limits.tokens + tighterBy,
  };
}

/** What a summary costs that stays as it is: with the line about what is left out by then, which is new [R1]. */
function tokensOfPresent({ request, view, summaryTokens }: Prepared): number {
  if (!request.config.recall) return summaryTokens;
  const ordinals = { first: view.nextOrdinal, isTold: true };
  const text = summaryOf({ ...view.compaction, ordinals });
  return text === undefined ? summaryTokens : Math.max(summaryTokens, request.account.countPlain(text));
}

/** The messages that a decision takes out. */
function cutMessages({ history }: Prepared, { firstKept, carried }: Decision): MessageEntry[] {
  const kept = new Set(carried);
  return history.entries.slice(0, firstKept).filter((_, index) => !kept.has(index));
}

/** An overflow says what cannot be left out and what it costs. */
export function overflowError(prepared: Prepared, excess: number, limit: number): GalleyError {
  const { fixedTokens, headTokens, pinnedTokens, summaryTokens, request, history } = prepared;
  const head = prepared.normalized.head.map((entry) => entry.id);
  const newest = history.entries.length - 1;
  const lastUser = history.entries.findLastIndex(isOfUser);
  const sizeAt = (index: number): string => `${history.entries[index]?.id}: ${history.tokensAt(index, false)}`;
  const frame = request.account.countOverhead([]);
  const tools = request.account.countOverhead(request.tools ?? []) - frame;
  const fixed = fixedTokens - tools - headTokens - pinnedTokens - frame;
  const pins = pinSizes(prepared);
  const pinned = [
    ...(fixed > 0 ? [`system text and pinned preset messages: ${fixed}`] : []),
    ...(tools > 0 ? [`tools: ${tools}`] : []),
    ...(head.length > 0 ? [`system messages at the head of the session (${someOf(head)}): ${headTokens}`] : []),
    ...pins.map(({ what, id, tokens }) => `pinned ${what} ${id}: ${tokens}`),
    ...(summaryTokens > 0 ? [`summary: ${summaryTokens}`] : []),
    ...(lastUser >= 0 && lastUser < newest ? [`last message of the user ${sizeAt(lastUser)}`] : []),
    ...(newest >= 0 ? [`newest message ${sizeAt(newest)}`] : []),
  ];
  return new GalleyError(
    "ContextOverflow",
    `What must be sent is ${excess} tokens too large for the ${limit} that there are (${pinned.join("; ")}).`,
    {
      path: "config.maxInputTokens",
      hint:
        pins.length > 0
          ? `Unpin ${someOf(pins.map(({ id }) => id))}, the largest first, or use a larger window.`
          : "Use a larger window, shorten the preset or the message, or give preset messages a priority so that they may go.",
    },
  );
}

/** What is pinned and what it costs, the largest first: with a message its whole group stays [R6]. */
function pinSizes({ view, pinned, history, request }: Prepared): { what: string; id: string; tokens: number }[] {
  const texts = pinned.map(({ id, message }) => ({ what: "text", id, tokens: request.account.countMessage(message) }));
  const starts = view.pins.ids.size === 0 ? [] : groupStarts(history.entries, (entry) => entry.message);
  const messages = starts.flatMap((start, group) => {
    const entries = history.entries.slice(start, starts[group + 1] ?? history.entries.length);
    const own = entries.filter(({ id }) => view.pins.ids.has(id));
    const tokens = entries.reduce((sum, _, index) => sum + history.tokensAt(start + index, false), 0);
    return own.length === 0 ? [] : [{ what: "message", id: own.map(({ id }) => id).join(", "), tokens }];
  });
  return [...texts, ...messages].sort((a, b) => b.tokens - a.tokens);
}

/** Adds sizes up from the newest message; stops as soon as it is too much, unless the whole size is asked for. */
function measure(prepared: Prepared, limit: number, isWhole: boolean): { tokens: number; isOver: boolean } {
  const { history } = prepared;
  let tokens = prepared.fixedTokens + prepared.summaryTokens;
  for (const item of prepared.droppable) tokens += item.tokens;
  const { known } = prepared.window;
  if (known) {
    const whole = tokens + prepared.leavingTokens + known.total;
    return { tokens: whole, isOver: whole > limit };
  }
  for (let index = history.entries.length - 1; index >= 0; index -= 1) {
    tokens += history.tokensAt(index, index < history.maskedBefore);
    if (tokens > limit && !isWhole) return { tokens, isOver: true };
  }
  return { tokens, isOver: tokens > limit };
}

function limitsFor({ limits, request }: Prepared, tighterBy: number, present: number): Prepared["limits"] {
  if (request.overflowHint) {
    // The provider counts differently: what it called too long is the measure, and the fit goes straight to its share.
    const tokens = Math.max(1, Math.floor(Math.min(present, limits.tokens) * limits.targetRatio) - tighterBy);
    return { ...limits, tokens: Math.min(limits.tokens, tokens), targetTokens: tokens };
  }
  return { ...limits, tokens: limits.tokens - tighterBy, targetTokens: limits.targetTokens - tighterBy };
}
