import { groupBy } from "../../model/group-by.ts";
import type { ActivationSettings, BookOwner } from "./activation.ts";
import type { Candidate } from "./compile-keys.ts";

/** Compares for "higher order first". In SillyTavern's files an entry without an order is equal to all others. */
export function orderComparer({ like }: ActivationSettings): (a: Candidate, b: Candidate) => number {
  const otherwise = like === "sillytavern" ? Number.NaN : 100;
  const orderOf = ({ activation: { order = otherwise } }: Candidate): number => order;
  return (a, b) => orderOf(b) - orderOf(a);
}

/** In which sequence candidates are looked at: books of the chat, of the persona, then of character and all [K1]. */
export function sequenceOf(candidates: readonly Candidate[], settings: ActivationSettings): readonly Candidate[] {
  const byBook = groupBy(candidates, ({ activation }) => activation.book ?? "");
  const books = settings.books ?? [];
  const owners = new Map(books.map(({ name, owner }) => [name, owner]));
  const names = [...new Set([...books.map(({ name }) => name), ...byBook.keys()])];
  const byOrder = orderComparer(settings);
  const of = (owner: BookOwner): Candidate[] =>
    names.flatMap((name) => ((owners.get(name) ?? "global") === owner ? (byBook.get(name) ?? []) : []));
  const front = [...of("chat").sort(byOrder), ...of("persona").sort(byOrder)];
  switch (settings.strategy ?? "character-first") {
    case "evenly":
      return [...front, ...[...of("global"), ...of("character")].sort(byOrder)];
    case "character-first":
      return [...front, ...of("character").sort(byOrder), ...of("global").sort(byOrder)];
    case "global-first":
      return [...front, ...of("global").sort(byOrder), ...of("character").sort(byOrder)];
  }
}
