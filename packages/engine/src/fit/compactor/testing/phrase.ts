import type { Chance } from "../../../model/testing/fuzz-chance.ts";

/** What may stand for a word in braces; one of them is drawn each time. */
export type Phrases = Readonly<Record<string, readonly string[]>>;

/** Writes one of the phrases of that name, and in it other phrases until there are no braces left. */
export function phrase(phrases: Phrases, chance: Chance, name: string): string {
  const choices = phrases[name];
  if (!choices) throw new Error(`There is no phrase ${name}.`);
  return chance.pick(choices).replaceAll(/\{(\w+)\}/g, (_, inner: string) => phrase(phrases, chance, inner));
}
