import type { DatabaseSync } from "node:sqlite";
import type { SearchTerms } from "./search-terms.ts";
import { type Token, fold, tokensOf } from "./search-tokens.ts";

/** A part of the query that a document has or has not. */
export interface SearchUnit {
  readonly kind: "word" | "signs";
  /** Folded. */
  readonly text: string;
  /** How many documents may have it, at most. */
  readonly count: number;
  /** How much it tells: rare parts weigh more. */
  readonly weight: number;
  /** It as an expression of FTS5. */
  readonly expression: string;
}

export interface SearchQuery {
  /** The rarest first. */
  readonly units: readonly SearchUnit[];
  /** Folded pieces of several units, which mean more where they stand together as they were written. */
  readonly phrases: readonly string[];
}

/** Of a pasted page the rarest parts are looked for. */
const maxUnits = 32;
const maxTokens = 256;
const maxPhraseLength = 200;

/** Reads what a person or a model typed. Nothing in it is syntax; without a letter, digit or sign there is no query. */
export function parseQuery(text: string, db: DatabaseSync, terms: SearchTerms): SearchQuery | undefined {
  const total = Number(db.prepare("SELECT count(*) AS total FROM archives").get()?.["total"]);
  return readQuery(text, (token) => toUnit(token, total, db, terms));
}

/** The same for texts that are in no index: a longer part tells more. */
export function plainQuery(text: string): SearchQuery | undefined {
  return readQuery(text, (token) => ({
    kind: token.kind === "word" ? "word" : "signs",
    text: token.text,
    count: 0,
    weight: token.text.length,
    expression: "",
  }));
}

function readQuery(text: string, unitOf: (token: Token) => SearchUnit): SearchQuery | undefined {
  // Generous for any query, and a bound for a file that was pasted as one.
  const folded = fold(text.slice(0, 20_000)).trim();
  const pieces = folded.split(/\s+/u).map((piece) => ({ piece, tokens: queryTokens(piece) }));
  const tokens = [...new Map(pieces.flatMap((piece) => piece.tokens).map((token) => [token.text, token])).values()];
  if (tokens.length === 0) return undefined;
  const units = tokens.slice(0, maxTokens).map(unitOf);
  const written = pieces.filter(({ piece, tokens }) => tokens.length > 1 && piece.length <= maxPhraseLength);
  const phrases = written.map(({ piece }) => piece);
  if (pieces.length > 1 && folded.length <= maxPhraseLength) phrases.push(folded);
  return {
    units: units.toSorted((a, b) => a.count - b.count).slice(0, maxUnits),
    phrases,
  };
}

// A run's last sign says nothing that the pair before it does not say.
function queryTokens(piece: string): Token[] {
  const tokens = tokensOf(piece);
  return tokens.filter(({ kind }, index) => kind !== "last" || tokens[index - 1]?.kind !== "pair");
}

function toUnit({ kind, text }: Token, total: number, db: DatabaseSync, terms: SearchTerms): SearchUnit {
  const names =
    kind === "word"
      ? [terms.whole(text), terms.beginning(text)]
      : [kind === "pair" ? terms.whole(text) : terms.short(text)];
  const counts = names.map((name) => countDocuments(db, name));
  const count = Math.min(
    total,
    counts.reduce((sum, value) => sum + value, 0),
  );
  // A word weighs what it weighs as a whole word, unless it is only the beginning of some.
  const known = counts[0] || count;
  return {
    kind: kind === "word" ? "word" : "signs",
    text,
    count,
    weight: Math.log(1 + (total - known + 0.5) / (known + 0.5)),
    expression: names.length === 1 ? names.map(quoted).join("") : `(${names.map(quoted).join(" OR ")})`,
  };
}

function countDocuments(db: DatabaseSync, term: string): number {
  return Number(db.prepare("SELECT doc FROM temp.vocabulary WHERE term = ?").get(term)?.["doc"] ?? 0);
}

function quoted(term: string): string {
  return `"${term}"`;
}
