import { numberCheck, textCheck } from "../../model/check/input.ts";

/** The nouns that reports count, which English does not form by adding an s; all others get one. */
const irregular: Readonly<Record<string, string>> = { entries: "entry", replies: "reply", summaries: "summary" };
const plurals: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(irregular).map(([many, one]) => [one, many]),
);

/**
 * A count with what is counted, whose first word is the noun in the plural: `1 reply that came in several lines`.
 *
 * @example
 * counted(1, "entries of the book"); // → "1 entry of the book"
 */
export function counted(count: number, what: string): string {
  numberCheck(count, "count");
  textCheck(what, "what");
  return `${count} ${count === 1 ? what.replace(/^\w+/u, (noun) => irregular[noun] ?? noun.replace(/s$/u, "")) : what}`;
}

/** What `counted` was given, so that reports of many files can be added up; nothing for other texts. */
export function uncounted(text: string): { readonly count: number; readonly what: string } | undefined {
  textCheck(text, "text");
  const [, digits, rest = ""] = /^(\d+) (.+)$/su.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const count = Number(digits);
  return { count, what: count === 1 ? rest.replace(/^\w+/u, (noun) => plurals[noun] ?? `${noun}s`) : rest };
}
