import { type Stretch, mergeStretch, stretchSize } from "./merge-stretch.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Counts the tokens that the first `length` bytes merge into, in time that grows with their number alone. */
export function mergeBytes(entries: Vocabulary): (bytes: Uint8Array, length: number) => number {
  const stretch = mergeStretch(entries);
  return (bytes, length) => {
    if (length <= stretchSize) return stretch.merge(bytes, 0, length);
    return countInStretches(stretch, entries, bytes, length) ?? countByPrefixes(stretch, entries, bytes, length);
  };
}

/** What came out of a stretch; places are counted from its start. */
interface Cut {
  readonly parts: number;
  /** Where the first token ends. */
  readonly first: number;
  /** The last place that the rest of the text cannot change any more: where a token ends. */
  readonly end: number;
  /** Tokens up to there. */
  readonly tokens: number;
  /** Where the last of them starts. */
  readonly lastStart: number;
}

/**
 * Counts a long text stretch by stretch. Tokens are an encoding exactly if any two neighbours, merged alone, come out as
 * those two: so an encoding may be cut between any two of its tokens, and another one may follow if the two that meet
 * there stay apart. Gives nothing if they do not and there is no better place to cut, which no text is known to do.
 */
export function countInStretches(
  stretch: Stretch,
  entries: Vocabulary,
  bytes: Uint8Array,
  length: number,
): number | undefined {
  let margin = entries.longest;
  let settled = { from: 0, tokens: 0, lastStart: 0 };
  let before = settled;
  let known: { readonly from: number; readonly cut: Cut } | undefined;
  for (;;) {
    const { from, tokens, lastStart } = settled;
    const to = Math.min(length, from + stretchSize);
    // A stretch that repeats the one before it, as in a row of blanks, comes out the same.
    const isKnown = known !== undefined && to < length && isRepeated(bytes, known.from, from);
    const cut: Cut = isKnown && known ? known.cut : cutOf(stretch, bytes, from, to, margin);
    known = { from, cut };
    if (from > 0 && !staysApart(stretch, bytes, lastStart, from, from + cut.first)) {
      margin *= 2;
      if (margin >= stretchSize) return undefined;
      settled = before;
      known = undefined;
      continue;
    }
    if (to === length) return tokens + cut.parts;
    before = settled;
    settled = { from: from + cut.end, tokens: tokens + cut.tokens, lastStart: from + cut.lastStart };
  }
}

function isRepeated(bytes: Uint8Array, earlier: number, from: number): boolean {
  for (let at = 0; at < stretchSize; at++) if (bytes[earlier + at] !== bytes[from + at]) return false;
  return true;
}

function cutOf(stretch: Stretch, bytes: Uint8Array, from: number, to: number, margin: number): Cut {
  const parts = stretch.merge(bytes, from, to);
  const { ends } = stretch;
  const latest = Math.max(1, to - from - margin);
  let lastStart = 0;
  let end = ends[0] as number;
  let tokens = 1;
  while (end < latest) {
    lastStart = end;
    end = ends[end] as number;
    tokens++;
  }
  return { parts, first: ends[0] as number, end, tokens, lastStart };
}

/** True if the two tokens, merged alone, come out as themselves. */
function staysApart(stretch: Stretch, bytes: Uint8Array, from: number, middle: number, to: number): boolean {
  return stretch.merge(bytes, from, to) === 2 && stretch.ends[0] === middle - from;
}

/**
 * Counts by the same rule without a guess: the last token of the text up to each byte is the one that stays apart from
 * the last token before it. Slow, and certain to find an end.
 */
export function countByPrefixes(stretch: Stretch, entries: Vocabulary, bytes: Uint8Array, length: number): number {
  const lastSizes = new Uint16Array(length + 1);
  const counts = new Int32Array(length + 1);
  for (let end = 1; end <= length; end++) {
    for (let start = Math.max(0, end - entries.longest); start < end; start++) {
      if (entries.rankOf(bytes, start, end) < 0) continue;
      const fits =
        start === 0
          ? stretch.merge(bytes, 0, end) === 1
          : staysApart(stretch, bytes, start - (lastSizes[start] as number), start, end);
      if (!fits) continue;
      lastSizes[end] = end - start;
      counts[end] = (counts[start] as number) + 1;
      break;
    }
  }
  return counts[length] as number;
}
