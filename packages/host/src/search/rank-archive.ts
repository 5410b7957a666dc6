import type { SearchQuery, SearchUnit } from "./search-query.ts";
import { fold, goesOn, isRest } from "./search-tokens.ts";

/** The texts of an archive as the index keeps them. */
export interface ArchiveTexts {
  readonly title: string;
  readonly summary: string;
  readonly messages: readonly string[];
}

interface Hits {
  /** Where the first one is, or -1. */
  readonly first: number;
  /** As a word of its own, or as signs. */
  readonly exact: number;
  /** As the beginning of a longer word. */
  readonly begun: number;
}

/** Enough to tell a document about a thing from one that mentions it. */
const maxHits = 20;
/** The length at which a document's repetitions count half. */
const usualLength = 4000;

/**
 * How well an archive answers a query, from 0 (not at all) to 1 in steps of 0.01. What counts first is how much of the
 * query it has, rare parts weighing more; then where: in the title, in the summary, or in the messages, there more when
 * it is said often. It loses up to a fifth when the parts do not stand together as in the query. So 1 is the whole query
 * in the title, and below 0.55 some of it is missing. It depends on the query and the archive, not on rivals.
 */
export function scoreArchive(texts: ArchiveTexts, { units, phrases }: SearchQuery): number {
  const fields = { title: [fold(texts.title)], summary: [fold(texts.summary)], messages: texts.messages.map(fold) };
  const length = fields.messages.reduce((sum, message) => sum + message.length, 0);
  let [possible, found, placed] = [0, 0, 0];
  for (const unit of units) {
    possible += unit.weight;
    const best = Math.max(
      gain(fields.title, unit, 0, 1, 1),
      gain(fields.summary, unit, 0, 0.75, 0.9),
      gain(fields.messages, unit, length, 0.5, 0.8),
    );
    if (best > 0) found += unit.weight;
    placed += unit.weight * best;
  }
  // Two words may share a term of the index, so that a document may have nothing of the query.
  if (found === 0) return 0;
  const share = found / possible;
  const together = phrases.filter((phrase) =>
    Object.values(fields)
      .flat()
      .some((text) => text.includes(phrase)),
  );
  const factor = phrases.length === 0 ? 1 : 0.8 + (0.2 * together.length) / phrases.length;
  const score = share * (share / 2 + placed / found / 2) * factor;
  return Math.max(1, Math.round(score * 100)) / 100;
}

export function findUnit(text: string, { kind, text: unit }: SearchUnit): Hits {
  let [first, exact, begun] = [-1, 0, 0];
  for (let at = text.indexOf(unit); at >= 0; at = text.indexOf(unit, at + unit.length)) {
    if (kind === "word" && isRest(text, at)) continue;
    if (first < 0) first = at;
    if (kind === "word" && goesOn(text, at + unit.length)) begun += 1;
    else exact += 1;
    if (exact + begun >= maxHits) break;
  }
  return { first, exact, begun };
}

function gain(texts: readonly string[], unit: SearchUnit, length: number, once: number, often: number): number {
  let hits = 0;
  for (const text of texts) {
    const { exact, begun } = findUnit(text, unit);
    hits += exact + begun * 0.5;
    if (hits >= maxHits) break;
  }
  if (hits === 0) return 0;
  // A beginning alone is less than the word itself.
  const saturated = Math.max(0, hits - 1) / (hits + length / usualLength);
  return hits < 1 ? once * 0.8 : once + (often - once) * saturated;
}
