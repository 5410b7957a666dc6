import { fold, tokensOf } from "../search/search-tokens.ts";

/** The words of a text as the search over archives knows them: of scripts without spaces, every two neighbours. */
export function recallTerms(text: string): readonly string[] {
  return tokensOf(fold(text)).flatMap(({ kind, text: term }, index) => (kind === "last" && index > 0 ? [] : [term]));
}
