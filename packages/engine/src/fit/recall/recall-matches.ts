import type { RecalledMessage } from "./recalled-messages.ts";

/** A place that a query leads to. */
export interface Match {
  readonly message: RecalledMessage;
  /** The query stands there to the letter, but for its case. */
  readonly isExact: boolean;
  /** On one line, with what was found in it. */
  readonly excerpt: string;
  /** The character of the message at which the excerpt begins. */
  readonly from: number;
  readonly score: number;
}

const excerptLength = 240;
/** Each is looked for in every message: a page of text as a query must not keep the others waiting. */
const maxTerms = 32;

/** The best places first: those with the query itself, then those with most of its words; the newest of equals. */
export function findMatches(
  messages: readonly RecalledMessage[],
  query: string,
  termsOf: (text: string) => readonly string[] = plainTerms,
): readonly Match[] {
  const folded = query.toLowerCase();
  const terms = [...new Set(termsOf(query))].slice(0, maxTerms);
  const texts = messages.map(({ text }) => text.toLowerCase());
  // A word that stands nearly everywhere says little.
  const weights = terms.map((term) => 1 / Math.sqrt(1 + texts.filter((text) => text.includes(term)).length));
  const matches: Match[] = [];
  for (const [index, message] of messages.entries()) {
    const text = texts[index] ?? "";
    // fileName and filename are two names.
    const literal = message.text.indexOf(query);
    const exact = literal < 0 ? text.indexOf(folded) : literal;
    let score = literal >= 0 ? 200 : exact < 0 ? 0 : 100;
    let first = exact;
    for (const [at, term] of terms.entries()) {
      const place = text.indexOf(term);
      if (place < 0) continue;
      score += weights[at] ?? 0;
      if (first < 0) first = place;
    }
    if (score > 0) matches.push({ message, isExact: exact >= 0, score, ...excerptOf(message.text, first, query) });
  }
  return matches.sort((a, b) => b.score - a.score || b.message.ordinal - a.message.ordinal);
}

function plainTerms(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Where letters change their number in the lower case, the place may be a little off: the excerpt is wider than what is looked for. */
function excerptOf(text: string, at: number, query: string): Pick<Match, "excerpt" | "from"> {
  const around = Math.max(excerptLength, Math.min(query.length + 80, 2 * excerptLength));
  const from = Math.max(0, at - Math.floor((around - Math.min(query.length, around)) / 2));
  const excerpt = text
    .slice(from, from + around)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim();
  return { excerpt: `${from > 0 ? "…" : ""}${excerpt}${from + around < text.length ? "…" : ""}`, from };
}
