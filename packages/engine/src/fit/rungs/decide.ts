import type { ShrunkPart } from "../../model/entries.ts";
import { groupStarts } from "../../model/groups.ts";
import type { TokenAccount } from "../../tokens/account.ts";
import { type GroupSizes, groupSizes } from "./group-sizes.ts";
import type { History } from "./history.ts";
import type { Limits } from "./limits.ts";
import { shrinkToFit } from "./shrink-to-fit.ts";

/** Items that may be left out, together. */
export interface Droppable {
  readonly ids: readonly string[];
  readonly priority: number;
  /** True when it comes back where a cut of the history leaves room for it. */
  readonly fillsRoom: boolean;
  readonly tokens: number;
}

export interface DecideInput {
  readonly history: History;
  readonly limits: Limits;
  readonly account: TokenAccount;
  /** What is sent in any case but for the summary: system text, tools, pinned items, hints. */
  readonly fixedTokens: number;
  /** The summary in force. */
  readonly summaryTokens: number;
  /** Those that are still sent. */
  readonly droppable: readonly Droppable[];
  readonly isOverTokens: boolean;
  /** There are more messages than may be sent. */
  readonly tooMany: boolean;
}

/** How far down the rungs the fit had to go [F7]. */
export interface Decision {
  /** Index of the first message that is kept. */
  readonly firstKept: number;
  /** Indexes in front of it that are kept all the same, because they are pinned. */
  readonly carried: readonly number[];
  /** Tool results before this index are masked. */
  readonly maskedBefore: number;
  readonly droppedSteps: readonly string[];
  readonly shrunk: readonly ShrunkPart[];
  /** By how much the pinned part alone is too large; 0 when it fits. */
  readonly excess: number;
}

/** The share of the target that the newest messages may fill before their tool results count as old. */
const recentShare = 0.5;

/** Where results have to be shrunk anyway, they make this much of a summary's room besides: else the next call would cut again. */
const spareShare = 1.5;

/** A decision but for what has to be shrunk, which takes long to find. */
export interface Outline {
  readonly firstKept: number;
  readonly decide: () => Decision;
  /** The same with a new summary, which may cost this much instead of the one in force. */
  readonly withSummary: (allowance: number) => Outline;
}

/** Goes down the rungs, in order and only as far as needed. */
export function outlineDecision(input: DecideInput): Outline {
  const { history, limits } = input;
  const starts = groupStarts(history.entries, (entry) => entry.message);
  const { tooMany } = input;
  if (!input.isOverTokens) {
    // Only the number of messages is too high, and neither masks nor fewer items would change that.
    const sizes = groupSizes(history, starts, history.maskedBefore);
    const kept = sizes.keep(Infinity, limits.targetMessages);
    return outlined({
      ...kept,
      maskedBefore: history.maskedBefore,
      droppedSteps: [],
      shrunk: history.shrunk,
      excess: 0,
    });
  }
  const recent = recentStart(history, starts, limits.targetTokens * recentShare);
  const sizes = groupSizes(history, starts, Math.max(recent, history.maskedBefore));
  const byPriority = input.droppable.toSorted((a, b) => a.priority - b.priority);
  const droppedSteps: string[] = [];
  let room = limits.targetTokens - input.fixedTokens - input.summaryTokens;
  for (const item of byPriority) room -= item.tokens;
  const rungs = tooMany ? [] : [undefined, ...byPriority];
  for (const item of rungs) {
    if (item) {
      droppedSteps.push(...item.ids);
      room += item.tokens;
    }
    const kept = sizes.keep(room, Infinity);
    if (kept.firstKept === 0 && kept.tokens <= room) {
      const maskedBefore = sizes.unmask(room - kept.tokens, history.maskedBefore);
      return outlined({ ...kept, maskedBefore, droppedSteps, shrunk: history.shrunk, excess: 0 });
    }
  }
  const cutWith = (allowance?: number): Outline => {
    return { ...cut(input, sizes, byPriority, allowance), withSummary: cutWith };
  };
  return cutWith();
}

/** The last rungs: the oldest groups go, and if what is pinned is still too large, its results are shrunk. */
function cut(
  input: DecideInput,
  sizes: GroupSizes,
  byPriority: readonly Droppable[],
  allowance: number | undefined,
): Omit<Outline, "withSummary"> {
  const { history, limits, account, tooMany } = input;
  const fixed = input.fixedTokens + (allowance ?? input.summaryTokens);
  const room = limits.targetTokens - fixed;
  const kept = sizes.keep(room, tooMany ? limits.targetMessages : Infinity);
  const maskedBefore = sizes.unmask(room - kept.tokens, history.maskedBefore, kept.firstKept);
  const back = roomFor(byPriority, room - kept.tokens);
  const droppedSteps = byPriority.flatMap((item) => (back.has(item) ? [] : item.ids));
  const decision = { ...kept, maskedBefore, droppedSteps };
  const excess = fixed + kept.tokens - limits.tokens;
  if (excess <= 0) return outlined({ ...decision, shrunk: history.shrunk, excess: 0 });
  const spare = Math.floor((allowance ?? 0) * spareShare);
  let made: Decision | undefined;
  const decide = (): Decision =>
    (made ??= { ...decision, ...shrinkToFit(history, sizes.newestStart, { excess, spare }, account) });
  return { firstKept: kept.firstKept, decide };
}

function outlined(decision: Decision): Outline {
  const outline: Outline = { firstKept: decision.firstKept, decide: () => decision, withSummary: () => outline };
  return outline;
}

/** The blocks that still fit behind a cut, the highest priority first, up to the first that does not. */
function roomFor(byPriority: readonly Droppable[], room: number): ReadonlySet<Droppable> {
  const back = new Set<Droppable>();
  let left = room;
  for (const item of byPriority.toReversed()) {
    if (!item.fillsRoom) continue;
    left -= item.tokens;
    if (left < 0) break;
    back.add(item);
  }
  return back;
}

/** Where the newest messages begin whose results are not old yet. The newest group is never old. */
function recentStart(history: History, starts: readonly number[], room: number): number {
  let index = history.entries.length;
  let tokens = 0;
  for (let group = starts.length - 1; group >= 0; group -= 1) {
    const start = starts[group] ?? 0;
    for (let inside = start; inside < index; inside += 1) {
      if (group < starts.length - 1 && history.isAboveAt(inside, room - tokens)) return index;
      tokens += history.tokensAt(inside, false);
    }
    index = start;
  }
  return index;
}
