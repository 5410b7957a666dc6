import { type ArchiveTexts, findUnit } from "./rank-archive.ts";
import { type SearchQuery, plainQuery } from "./search-query.ts";
import { fold } from "./search-tokens.ts";

const before = 40;
const whole = 160;

/** The place in the summary or the messages that answers the query best, as it was written, or the beginning when only the title does. */
export function archiveSnippet(
  { messages, summary }: ArchiveTexts,
  query: SearchQuery,
): { readonly snippet: string; readonly message?: number } {
  let best = { worth: 0, at: 0, piece: summary || (messages[0] ?? ""), index: messages.length };
  for (const [index, piece] of [...messages, summary].entries()) {
    if (piece === "") continue;
    const found = bestPlace(fold(piece), query);
    if (found.worth > best.worth) best = { ...found, piece, index };
  }
  const snippet = cutAround(best.piece, toOriginal(best.piece, best.at));
  return best.index < messages.length ? { snippet, message: best.index } : { snippet };
}

function bestPlace(folded: string, { units, phrases }: SearchQuery): { worth: number; at: number } {
  const places: { at: number; weight: number }[] = [];
  for (const unit of units) {
    const { first } = findUnit(folded, unit);
    if (first >= 0) places.push({ at: first, weight: unit.weight });
  }
  const [rarest] = places.toSorted((a, b) => b.weight - a.weight);
  if (!rarest) return { worth: 0, at: 0 };
  const worth = places.reduce((sum, place) => sum + place.weight, 0);
  const phrase = phrases.map((text) => folded.indexOf(text)).find((at) => at >= 0);
  return phrase === undefined ? { worth, at: rarest.at } : { worth: worth * 2, at: phrase };
}

/** Folding changes lengths here and there (`…` becomes three dots): finds the original place of a folded one. */
function toOriginal(text: string, foldedAt: number): number {
  if (foldedAt === 0 || fold(text).length === text.length) return foldedAt;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fold(text.slice(0, middle)).length < foldedAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

function cutAround(text: string, at: number): string {
  const start = at <= before ? 0 : wholeSign(text, at - before);
  const end = start + whole >= text.length ? text.length : wholeSign(text, start + whole);
  const cut = text.slice(start, end).replaceAll(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}

function wholeSign(text: string, index: number): number {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index;
}

/** For texts that no index knows: gives the words around the match in a text that has every part of the query. */
export function textFinder(query: string): ((text: string) => string | undefined) | undefined {
  const parsed = plainQuery(query);
  if (!parsed) return undefined;
  return (text) => {
    const folded = fold(text);
    const hasAll = parsed.units.every((unit) => findUnit(folded, unit).first >= 0);
    return hasAll ? archiveSnippet({ title: "", summary: "", messages: [text] }, parsed).snippet : undefined;
  };
}
