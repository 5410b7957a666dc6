import type { RecalledMessage } from "./recalled-messages.ts";

/** A place that a query leads to. */
export interface Match {
  readonly message: RecalledMessage;
  /** The query stands there to the letter, but for its case. */
  readonly isExact: boolean;
  /** The character of the message at which something of the query stands first. */
  readonly at: number;
  readonly score: number;
}

const excerptLength = 240;
/** Each is looked for in every message: a page of text as a query must not keep the others waiting. */
const maxTerms = 32;

/** The best places first: those with the query itself, then those with most of its words; the newest of equals. It pauses anywhere. */
export function* findMatches(
  messages: readonly RecalledMessage[],
  query: string,
  termsOf: (text: string) => readonly string[] = plainTerms,
): Generator<undefined, readonly Match[]> {
  const folded = query.toLowerCase();
  const terms = [...new Set(termsOf(query))].slice(0, maxTerms);
  const counts = terms.map(() => 0);
  const hits: (Omit<Match, "score"> & { score: number; readonly terms: readonly number[] })[] = [];
  for (const message of messages) {
    yield;
    const text = message.text.toLowerCase();
    // fileName and filename are two names.
    const literal = message.text.indexOf(query);
    const exact = literal < 0 ? text.indexOf(folded) : literal;
    let at = exact;
    const found: number[] = [];
    for (const [index, term] of terms.entries()) {
      const place = text.indexOf(term);
      if (place < 0) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      found.push(index);
      if (at < 0) at = place;
    }
    if (at < 0) continue;
    const isExact = exact >= 0;
    hits.push({ message, isExact, at, score: literal >= 0 ? 200 : isExact ? 100 : 0, terms: found });
  }
  // A word that stands nearly everywhere says little.
  const weights = counts.map((count) => 1 / Math.sqrt(1 + count));
  for (const hit of hits) for (const index of hit.terms) hit.score += weights[index] ?? 0;
  yield;
  return hits.sort((a, b) => b.score - a.score || b.message.ordinal - a.message.ordinal);
}

/** Places whose lines say the same but for numbers. */
export interface AlikeMatches {
  readonly best: Match;
  readonly others: readonly Match[];
}

/** Puts together what would fill an answer with one line over and over, such as a test that ran ten times. Keeps their order. */
export function* alikeOf(matches: readonly Match[], query: string): Generator<undefined, readonly AlikeMatches[]> {
  const groups = new Map<string, { readonly best: Match; readonly others: Match[] }>();
  for (const match of matches) {
    yield;
    const { speaker, isLeft } = match.message;
    const line = `${isLeft} ${speaker} ${excerptOf(match, query).excerpt.replace(/\d+/g, "0")}`;
    const known = groups.get(line);
    if (known) known.others.push(match);
    else groups.set(line, { best: match, others: [] });
  }
  return [...groups.values()];
}

function plainTerms(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/**
 * What was found, on one line, and the character of the message at which that begins. Where letters change their number in the lower case, the place may be a little off: the excerpt is wider than what is looked for.
 */
export function excerptOf(
  { message: { text }, at }: Match,
  query: string,
): { readonly excerpt: string; readonly from: number } {
  const around = Math.max(excerptLength, Math.min(query.length + 80, 2 * excerptLength));
  const from = Math.max(0, at - Math.floor((around - Math.min(query.length, around)) / 2));
  const excerpt = text
    .slice(from, from + around)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim();
  return { excerpt: `${from > 0 ? "…" : ""}${excerpt}${from + around < text.length ? "…" : ""}`, from };
}
