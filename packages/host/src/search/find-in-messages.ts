import { archiveSnippet } from "./archive-snippet.ts";
import { findUnit } from "./rank-archive.ts";
import { plainQuery } from "./search-query.ts";
import { fold } from "./search-tokens.ts";

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
