import { type TokenAccount, type ToolSpec, digestItem } from "@galley/engine";
import { diff, type BuildDiff, type Digestible } from "@galley/engine/proof";

/** One line of the comparison; numbers are positions in the messages of the left and the right build. */
type CompareRow =
  /** A run of equal messages, folded. */
  | { readonly kind: "same"; readonly from: number; readonly to: number; readonly count: number }
  /** Equal, but in another order: shown where it stands on the right. */
  | { readonly kind: "moved"; readonly from: number; readonly to: number }
  /** Where a moved message stood on the left; the difference itself is the row at its new place. */
  | { readonly kind: "movedAway"; readonly from: number; readonly to: number }
  | { readonly kind: "changed"; readonly from: number; readonly to: number }
  | { readonly kind: "onlyLeft"; readonly from: number }
  | { readonly kind: "onlyRight"; readonly to: number };

export interface Comparison {
  readonly rows: readonly CompareRow[];
  /** Indexes in `rows` of what differs, in order: what "next" and "previous" go through. */
  readonly differences: readonly number[];
  readonly counts: Readonly<Record<"same" | "moved" | "changed" | "onlyLeft" | "onlyRight", number>>;
  /** The first position at which the messages differ; nothing when they are equal. */
  readonly firstChange: number | undefined;
  /** Tools that only one side has, or that differ. Providers read tools before all messages. */
  readonly toolsDiffer: boolean;
  readonly cost: CompareCost;
}

/** What a provider that has cached the left build has to read for the right one. */
interface CompareCost {
  /** The prefix that both share. */
  readonly cached: number;
  /** Messages that it knew, but that stand behind the first difference. */
  readonly readAgain: number;
  /** What the left build did not have. */
  readonly fresh: number;
}

/** Puts two builds side by side [P3]. */
export function compareBuilds(left: Digestible, right: Digestible, account: TokenAccount): Comparison {
  const found = diff(left, right, account);
  const toolsDiffer = toolsText(left.tools) !== toolsText(right.tools);
  const rows = rowsOf(found, left.messages.length, right.messages.length);
  return {
    rows,
    differences: rows.flatMap((row, index) => (row.kind === "same" || row.kind === "movedAway" ? [] : [index])),
    counts: {
      same: found.same.length,
      moved: found.moved.length,
      changed: found.changed.length,
      onlyLeft: found.left.length,
      onlyRight: found.appeared.length,
    },
    firstChange: found.firstChange,
    toolsDiffer,
    cost: costOf(found, right, account, toolsDiffer),
  };
}

function toolsText(tools: readonly ToolSpec[] | undefined): string {
  return (tools ?? []).map((tool) => digestItem(tool)).join(" ");
}

function costOf(found: BuildDiff, right: Digestible, account: TokenAccount, toolsDiffer: boolean): CompareCost {
  const known = new Set([...found.same, ...found.moved].map(({ to }) => to));
  const prefix = toolsDiffer ? 0 : found.prefix.messages;
  let cached = 0;
  let readAgain = 0;
  let fresh = 0;
  for (const [index, message] of right.messages.entries()) {
    const tokens = account.countMessage(message);
    if (index < prefix) cached += tokens;
    else if (known.has(index)) readAgain += tokens;
    else fresh += tokens;
  }
  return { cached, readAgain, fresh };
}

/** The rows between two messages that kept their order: first what the left has there, then what the right has. */
function rowsOf(found: BuildDiff, leftCount: number, rightCount: number): readonly CompareRow[] {
  const movedFrom = new Map(found.moved.map((pair) => [pair.from, pair]));
  const movedTo = new Map(found.moved.map((pair) => [pair.to, pair]));
  const changedFrom = new Map(found.changed.map((pair) => [pair.from, pair]));
  const appeared = new Set(found.appeared);
  const rows: CompareRow[] = [];
  let from = 0;
  let to = 0;
  for (const pair of [...found.same, { from: leftCount, to: rightCount }]) {
    const begin = rows.length;
    for (; from < pair.from; from += 1) {
      const moved = movedFrom.get(from);
      const changed = changedFrom.get(from);
      if (moved) rows.push({ kind: "movedAway", ...moved });
      else if (changed) rows.push({ kind: "changed", ...changed });
      else rows.push({ kind: "onlyLeft", from });
    }
    for (; to < pair.to; to += 1) {
      const moved = movedTo.get(to);
      if (moved) insertByRight(rows, begin, { kind: "moved", ...moved });
      else if (appeared.has(to)) insertByRight(rows, begin, { kind: "onlyRight", to });
    }
    if (pair.from < leftCount) addSame(rows, pair.from, pair.to);
    from = pair.from + 1;
    to = pair.to + 1;
  }
  return rows;
}

/** Before the first changed row of this stretch that stands further down on the right; else at its end. */
function insertByRight(rows: CompareRow[], begin: number, row: CompareRow & { readonly to: number }): void {
  const later = rows.findIndex((other, index) => index >= begin && other.kind === "changed" && other.to > row.to);
  rows.splice(later < 0 ? rows.length : later, 0, row);
}

function addSame(rows: CompareRow[], from: number, to: number): void {
  const last = rows.at(-1);
  if (last?.kind === "same" && last.from + last.count === from && last.to + last.count === to) {
    rows[rows.length - 1] = { ...last, count: last.count + 1 };
  } else rows.push({ kind: "same", from, to, count: 1 });
}

/** A row as the list shows it; `index` is its place in the comparison. */
export interface ShownRow {
  readonly key: string;
  readonly index: number;
  readonly row: CompareRow | { readonly kind: "equal"; readonly from: number; readonly to: number };
}

/** A run of equal messages that is unfolded is followed by its messages, one row each. */
export function shownRows(rows: readonly CompareRow[], unfolded: ReadonlySet<number>): readonly ShownRow[] {
  return rows.flatMap((row, index): ShownRow[] => {
    const own = { key: `${index}`, index, row };
    if (row.kind !== "same" || !unfolded.has(index)) return [own];
    const equal = Array.from({ length: row.count }, (_, offset): ShownRow => {
      const pair = { from: row.from + offset, to: row.to + offset };
      return { key: `${index} ${offset}`, index, row: { kind: "equal", ...pair } };
    });
    return [own, ...equal];
  });
}
