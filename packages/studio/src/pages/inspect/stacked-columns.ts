import { type TokenSource, tokenSources } from "@galley/engine/proof";

/** What a column needs to know of a call. */
export interface ColumnCall {
  readonly n: number;
  readonly inputTokens: number;
  readonly bySource: Readonly<Partial<Record<TokenSource, number>>>;
  readonly compacted: boolean;
}

interface ColumnSegment {
  readonly source: TokenSource;
  readonly tokens: number;
  /** From the bottom, in shares of the scale's top. */
  readonly from: number;
  readonly to: number;
}

export interface Column extends Omit<ColumnCall, "bySource"> {
  readonly segments: readonly ColumnSegment[];
}

export interface StackedColumns {
  readonly columns: readonly Column[];
  /** Where the scale ends, a round number. */
  readonly top: number;
  readonly ticks: readonly number[];
  /** The sources that occur, in the order of the stack. */
  readonly sources: readonly TokenSource[];
}

/** Tokens per call, by source, from the bottom up in the order of `tokenSources`. */
export function stackedColumns(calls: readonly ColumnCall[]): StackedColumns {
  const highest = calls.reduce((max, call) => Math.max(max, heightOf(call)), 0);
  const { top, ticks } = roundScale(highest);
  const seen = new Set(calls.flatMap(({ bySource }) => tokenSources.filter((source) => (bySource[source] ?? 0) > 0)));
  return {
    columns: calls.map((call) => columnOf(call, top)),
    top,
    ticks,
    sources: tokenSources.filter((source) => seen.has(source)),
  };
}

function heightOf({ bySource, inputTokens }: ColumnCall): number {
  return Math.max(
    inputTokens,
    tokenSources.reduce((sum, source) => sum + (bySource[source] ?? 0), 0),
  );
}

function columnOf({ n, inputTokens, bySource, compacted }: ColumnCall, top: number): Column {
  let below = 0;
  const segments = tokenSources.flatMap((source) => {
    const tokens = bySource[source] ?? 0;
    if (tokens <= 0) return [];
    const from = below;
    below += tokens;
    return [{ source, tokens, from: from / top, to: below / top }];
  });
  return { n, inputTokens, segments, compacted };
}

/** Ends at 1, 2 or 5 times a power of ten, with two to five steps. */
export function roundScale(highest: number): { readonly top: number; readonly ticks: readonly number[] } {
  if (highest <= 0) return { top: 1, ticks: [0, 1] };
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power);
  const steps = Math.ceil(highest / step);
  return { top: steps * step, ticks: Array.from({ length: steps + 1 }, (_, index) => index * step) };
}

/** The calls that fit into the chart, with the chosen one among them; both ends as indexes, the second excluded. */
export function columnWindow(count: number, selected: number, capacity: number): readonly [number, number] {
  const size = Math.max(1, Math.min(count, capacity));
  const page = Math.floor(Math.max(0, selected) / size) * size;
  const from = Math.max(0, Math.min(page, count - size));
  return [from, Math.min(count, from + size)];
}
