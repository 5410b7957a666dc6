import { commonPrefix } from "../model/grown-lists.ts";
import { lastWhere } from "../model/last.ts";
import { groupBy } from "../model/group-by.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";
import { type Digestible, digestItem, digestibleCheck } from "./digest.ts";

/** A message that stands in both builds. */
export interface DiffPair {
  readonly from: number;
  readonly to: number;
}

/** How one build became another, by positions in their messages [P3]. */
export interface BuildDiff {
  readonly same: readonly DiffPair[];
  readonly moved: readonly DiffPair[];
  /** Another text at the same place between its neighbours, in the same role. */
  readonly changed: readonly DiffPair[];
  readonly left: readonly number[];
  readonly appeared: readonly number[];
  /** The first position at which they differ; nothing when they are equal. */
  readonly firstChange: number | undefined;
  /** What a provider that has cached the first build need not read again. */
  readonly prefix: { readonly messages: number; readonly tokens: number };
}

/**
 * Compares two builds, message by message.
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const before = { messages: [{ role: "user", content: "Hello" }] };
 * const after = { messages: [...before.messages, { role: "assistant", content: "Hi" }] };
 * const { appeared, prefix } = diff(before, after, account);
 * appeared; // → [1]
 * prefix.messages; // → 1
 */
export function diff(a: Digestible, b: Digestible, account: TokenAccount): BuildDiff {
  for (const [path, build] of Object.entries({ a, b })) digestibleCheck(build, path);
  accountCheck(account, "account");
  const [before, after] = [a, b].map((build) => build.messages.map((message) => digestItem(message))) as [
    string[],
    string[],
  ];
  const prefix = commonPrefix(before, after);
  const pairs = matchEqual(before, after);
  const inOrder = longestAscending(pairs);
  const isInOrder = new Set(inOrder);
  const moved = pairs.filter((pair) => !isInOrder.has(pair));
  const rest = pairUnmatched(a, b, pairs, inOrder);
  let tokens = 0;
  for (const message of a.messages.slice(0, prefix)) tokens += account.countMessage(message);
  return {
    same: inOrder,
    moved,
    ...rest,
    firstChange: prefix === before.length && prefix === after.length ? undefined : prefix,
    prefix: { messages: prefix, tokens },
  };
}

/** Pairs equal messages, the first with the first, the second with the second. */
function matchEqual(before: readonly string[], after: readonly string[]): DiffPair[] {
  const places = groupBy(before.keys(), (index) => before[index]);
  const used = new Map<string, number>();
  return after.flatMap((digest, to) => {
    const nth = used.get(digest) ?? 0;
    const from = places.get(digest)?.[nth];
    if (from === undefined) return [];
    used.set(digest, nth + 1);
    return [{ from, to }];
  });
}

/** The longest run of pairs that kept their order: what is outside of it has moved. */
function longestAscending(pairs: readonly DiffPair[]): DiffPair[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, { from }] of pairs.entries()) {
    const isBefore = (at: number): boolean => at < 0 || (pairs[ends[at] ?? 0]?.from ?? 0) < from;
    const low = lastWhere(-1, ends.length, isBefore) + 1;
    previous[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  }
  const run: DiffPair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) run.push(pairs[at] as DiffPair);
  return run.reverse();
}

/** Between two messages that are the same in both builds, what is left over of one role is a change of that message. */
function pairUnmatched(
  a: Digestible,
  b: Digestible,
  pairs: readonly DiffPair[],
  inOrder: readonly DiffPair[],
): Pick<BuildDiff, "changed" | "left" | "appeared"> {
  const matchedFrom = new Set(pairs.map((pair) => pair.from));
  const matchedTo = new Set(pairs.map((pair) => pair.to));
  const changed: DiffPair[] = [];
  const left: number[] = [];
  const appeared: number[] = [];
  let last: DiffPair = { from: -1, to: -1 };
  for (const next of [...inOrder, { from: a.messages.length, to: b.messages.length }]) {
    const gone = range(last.from + 1, next.from).filter((index) => !matchedFrom.has(index));
    const come = range(last.to + 1, next.to).filter((index) => !matchedTo.has(index));
    // From the end of each list the first of a role is taken at once, however many there are.
    const waiting = groupBy(come.toReversed(), (to) => b.messages[to]?.role);
    for (const from of gone) {
      const to = waiting.get(a.messages[from]?.role)?.pop();
      if (to === undefined) left.push(from);
      else changed.push({ from, to });
    }
    for (const to of [...waiting.values()].flat().toSorted((one, other) => one - other)) appeared.push(to);
    last = next;
  }
  return { changed, left, appeared };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
}
