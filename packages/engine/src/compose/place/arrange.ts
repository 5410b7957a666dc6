import { groupBy } from "../../model/group-by.ts";
import type { ResolvedItem } from "../preset/resolve-preset.ts";

/** Injections of one depth, in the order in which they are sent. */
export interface DepthBlock {
  readonly depth: number;
  readonly items: readonly ResolvedItem[];
}

/** Where everything stands, seen from the history outwards. */
export interface Arrangement {
  readonly before: readonly ResolvedItem[];
  /** Deepest first, so that blocks that land at one place keep that order [C6]. */
  readonly atDepth: readonly DepthBlock[];
  readonly after: readonly ResolvedItem[];
  /** Enabled, but bound to an anchor that the recipe lacks or disables [C9]. */
  readonly unresolved: ReadonlySet<ResolvedItem>;
}

interface Beside {
  before: ResolvedItem[];
  after: ResolvedItem[];
}

/** Sorts the enabled items into skeleton, anchor injections and depth injections, and resolves the anchors [C4, C7–C9]. */
export function arrange(items: readonly ResolvedItem[]): Arrangement {
  const enabled = items.filter((item) => item.enabled);
  const beside = sortBeside(enabled);
  const opened = new Set<string>();
  const flat = (roots: readonly ResolvedItem[]): ResolvedItem[] => flatten(roots, beside, opened);
  const sequence = flat(rootsOf(enabled, beside));
  const at = sequence.findIndex((item) => item.kind === "chat_history");
  // Without a place of its own, or with one that nothing leads to, the history follows the skeleton.
  const own = at < 0 ? beside.get("chat_history") : undefined;
  opened.add("chat_history");
  const atDepth = sortByDepth(enabled).map(({ depth, items }) => ({ depth, items: flat(items) }));
  const before = at < 0 ? [...sequence, ...flat(own?.before ?? [])] : sequence.slice(0, at);
  const after = at < 0 ? flat(own?.after ?? []) : sequence.slice(at + 1);
  const unresolved = new Set(enabled);
  for (const list of [sequence, before, after, ...atDepth.map((block) => block.items)]) {
    for (const item of list) unresolved.delete(item);
  }
  return { before, atDepth, after, unresolved };
}

/** The skeleton; where it has no profile, what is bound to the profile follows the first system message. */
function rootsOf(enabled: readonly ResolvedItem[], beside: ReadonlyMap<string, Beside>): ResolvedItem[] {
  const roots = enabled.filter((item) => item.place.kind === "list");
  if (enabled.some((item) => item.kind === "user_profile")) return roots;
  const own = beside.get("user_profile");
  if (!own) return roots;
  const first = roots.findIndex((item) => item.role === "system" && item.kind !== "chat_history" && item.text.trim());
  return roots.toSpliced(first + 1, 0, ...own.before, ...own.after);
}

/**
 * Each item with what stands beside it. A stack, not recursion: a chain of anchors may be as long as the preset. What stands
 * beside an anchor is placed once, so that this ends for every preset, also for one that was never checked.
 */
function flatten(
  roots: readonly ResolvedItem[],
  beside: ReadonlyMap<string, Beside>,
  opened: Set<string>,
): ResolvedItem[] {
  if (beside.size === 0) return [...roots];
  const flat: ResolvedItem[] = [];
  const stack: ResolvedItem[] = [];
  const push = (items: readonly ResolvedItem[]): void => {
    for (const item of items.toReversed()) stack.push(item);
  };
  push(roots);
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { anchorId } = item;
    const own = anchorId === undefined || opened.has(anchorId) ? undefined : beside.get(anchorId);
    if (anchorId === undefined || !own) {
      flat.push(item);
      continue;
    }
    opened.add(anchorId);
    push(own.after);
    stack.push(item);
    push(own.before);
  }
  return flat;
}

function sortBeside(items: readonly ResolvedItem[]): Map<string, Beside> {
  const beside = new Map<string, Beside>();
  for (const item of items) {
    if (item.place.kind !== "anchor") continue;
    const { target, side } = item.place;
    const own = beside.get(target) ?? { before: [], after: [] };
    own[side].push(item);
    beside.set(target, own);
  }
  for (const own of beside.values()) {
    own.before = inOrder(own.before);
    own.after = inOrder(own.after);
  }
  return beside;
}

function sortByDepth(items: readonly ResolvedItem[]): DepthBlock[] {
  const deep = items.filter(({ place }) => place.kind === "depth");
  const blocks = groupBy(deep, ({ place }) => (place.kind === "depth" ? place.depth : 0));
  return [...blocks].sort(([a], [b]) => b - a).map(([depth, block]) => ({ depth, items: inOrder(block) }));
}

/** Higher order first, ties in list order, as sorting is stable [C7]; of those, entries that have a rank stand by it, in the places that they hold. */
function inOrder(items: ResolvedItem[]): ResolvedItem[] {
  items.sort((a, b) => b.order - a.order);
  if (!items.some((item) => item.rank !== undefined)) return items;
  const ranked = groupBy(
    items.filter((item) => item.rank !== undefined),
    (item) => item.order,
  );
  for (const own of ranked.values()) own.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  return items.map((item) => (item.rank === undefined ? item : (ranked.get(item.order)?.shift() ?? item)));
}
