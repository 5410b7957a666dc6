import type { MessageEntry } from "../model/entries.ts";
import { GalleyError, someOf } from "../model/errors.ts";
import { type BuildRequest, requestCheck } from "./window/build-request.ts";
import { type Decision, decide } from "./rungs/decide.ts";
import { type Prepared, hasTooMany, prepare } from "./prepare.ts";

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
const summaryShare = 0.2;
const minSummary = 32;
const maxSummary = 4000;

/** Says, without a model and without changing anything, what has to go [F2]. */
export function plan(request: BuildRequest): Plan {
  requestCheck(request, "");
  return planPrepared(prepare(request));
}

export function planPrepared(prepared: Prepared, tighterBy = 0): Plan {
  const { history, request } = prepared;
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
  const { fixedTokens, summaryTokens: present, droppable } = prepared;
  const base = {
    history,
    limits,
    account: request.account,
    fixedTokens,
    summaryTokens: present,
    droppable,
    isOverTokens,
    tooMany,
  };
  const drop = decide({ ...base, summaryAllowance: undefined });
  const wantsSummary = request.config.enableCompaction !== false && drop.firstKept > 0;
  const compact = wantsSummary ? decide({ ...base, summaryAllowance: summaryTokens }) : undefined;
  const isUsable = compact !== undefined && compact.excess === 0;
  return {
    tokens: size.tokens,
    fits: false,
    drop,
    compact: isUsable ? compact : undefined,
    toSummarise: isUsable ? cutMessages(prepared, compact) : [],
    summaryTokens,
    limit: limits.tokens + tighterBy,
  };
}

/** The messages that a decision takes out. */
function cutMessages({ history }: Prepared, { firstKept, carried }: Decision): MessageEntry[] {
  const kept = new Set(carried);
  return history.entries.slice(0, firstKept).filter((_, index) => !kept.has(index));
}

/** An overflow says what cannot be left out and what it costs. */
export function overflowError(prepared: Prepared, excess: number, limit: number): GalleyError {
  const { fixedTokens, headTokens, summaryTokens, request, history } = prepared;
  const head = prepared.normalized.head.map((entry) => entry.id);
  const newest = history.entries.at(-1);
  const tools = request.account.countOverhead(request.tools ?? []);
  const pinned = [
    `system text and pinned preset messages: ${fixedTokens - tools - headTokens}`,
    `tools: ${tools}`,
    ...(head.length > 0 ? [`system messages at the head of the session (${someOf(head)}): ${headTokens}`] : []),
    ...(summaryTokens > 0 ? [`summary: ${summaryTokens}`] : []),
    ...(newest ? [`newest message ${newest.id}: ${history.tokensAt(history.entries.length - 1, false)}`] : []),
  ];
  return new GalleyError(
    "ContextOverflow",
    `What must be sent is ${excess} tokens too large for the ${limit} that there are (${pinned.join("; ")}).`,
    {
      path: "config.maxInputTokens",
      hint: "Use a larger window, shorten the preset or the message, or give preset messages a priority so that they may go.",
    },
  );
}

/** Adds sizes up from the newest message; stops as soon as it is too much, unless the whole size is asked for. */
function measure(prepared: Prepared, limit: number, isWhole: boolean): { tokens: number; isOver: boolean } {
  const { history } = prepared;
  let tokens = prepared.fixedTokens + prepared.summaryTokens;
  for (const item of prepared.droppable) tokens += item.tokens;
  const { known } = prepared.window;
  if (known) return { tokens: tokens + known.total, isOver: tokens + known.total > limit };
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
