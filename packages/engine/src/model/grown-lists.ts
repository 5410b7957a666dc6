import { anyListCheck, countCheck } from "./check/input.ts";

// Lists grow as copies, because others still read the list that was there before. What a copy has in common with it is noted
// here: comparing them item by item would cost each turn as much as its whole window has messages [F14, T11].

/** What lists begin with that grew from each other. */
export interface Trunk {
  /** Of one that grows with its lists here; without it, what is on the trunk is for its maker to say. */
  length?: number;
}

/** The first `length` items of a list are those of every other list on the trunk, as far as that list is on it. */
interface OnTrunk {
  readonly trunk: Trunk;
  readonly length: number;
}

const trunks = new WeakMap<readonly unknown[], OnTrunk>();

/**
 * The first `from` items of a list, all of them unless said otherwise, with others behind them. Neither list may be changed
 * afterwards: what they have in common counts as known.
 *
 * @example
 * growList(["a", "b"], ["c"]); // → ["a", "b", "c"]
 */
export function growList<Item>(list: readonly Item[], added: readonly Item[], from?: number): readonly Item[] {
  anyListCheck(list, "list");
  anyListCheck(added, "added");
  if (from !== undefined) countCheck(from, "from");
  const shared = Math.min(from ?? list.length, list.length);
  const grown = (shared === list.length ? list : list.slice(0, shared)).concat(added);
  const known = trunks.get(list);
  if (known && known.trunk.length === undefined) {
    noteTrunk(grown, known.trunk, Math.min(known.length, shared));
    return grown;
  }
  // Where another list has grown from what this one began with, they go on apart.
  const canGrow = known?.trunk.length === known?.length && (known?.length ?? 0) <= shared;
  const trunk = (canGrow && known?.trunk) || {};
  trunk.length = shared;
  noteTrunk(list, trunk, shared);
  noteTrunk(grown, trunk, shared);
  return grown;
}

/** Says of a list that its first `length` items are those of all lists of which the same is said. */
export function noteTrunk(list: readonly unknown[], trunk: Trunk, length: number): void {
  trunks.set(list, { trunk, length });
}

/** How many items from the front of two lists are known to be the same, because the lists grew from each other; often 0. */
export function knownPrefix(before: readonly unknown[], after: readonly unknown[]): number {
  anyListCheck(before, "before");
  anyListCheck(after, "after");
  const one = trunks.get(before);
  const other = one && trunks.get(after);
  if (!one || one.trunk !== other?.trunk) return 0;
  const length = Math.min(one.length, other.length);
  // One that was changed all the same is most often another one at its end.
  const isSound = length <= before.length && length <= after.length && before[length - 1] === after[length - 1];
  return isSound ? length : 0;
}

/** How many items from the front of two lists are the same, of which the first `known` are known to be. */
export function commonPrefix(a: readonly unknown[], b: readonly unknown[], known = 0): number {
  let length = known;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
