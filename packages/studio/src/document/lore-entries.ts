import type { Activation, Preset } from "@galley/engine";
import { firstWords } from "../api/words.ts";
import { madeOnce } from "./made-once.ts";
import { type ShownStep, shownSteps } from "./shown-steps.ts";

/** A step that is an entry of a lorebook: it comes when the chat asks for it [K1]. */
export interface LoreEntry extends ShownStep {
  readonly activation: Activation;
}

/** The entries among the steps of a recipe. */
export function loreEntries(preset: Preset, recipe: number): readonly LoreEntry[] {
  return entriesOf(shownSteps(preset, recipe));
}

const entriesOf = madeOnce((steps: readonly ShownStep[]) => steps.filter(isEntry));

/** What belongs to another entry, or is only for some kinds of reply, is not an entry of its own. */
function isEntry(step: ShownStep): step is LoreEntry {
  const { activation } = step;
  if (!activation || activation.with !== undefined) return false;
  return entryFields.some((field) => activation[field] !== undefined);
}

const entryFields = ["book", "keys", "constant", "when", "outlet", "forced"] as const satisfies (keyof Activation)[];

const maxNameLength = 80;

/** What people call an entry: its name, or how its text begins. */
export function entryName({ name, content, id }: Pick<ShownStep, "name" | "content" | "id">): string {
  return name || firstWords(content, maxNameLength) || id;
}

export const defaultOrder = 100;

export type EntrySort = "list" | "name" | "order" | "tokens";

const isIn = {
  all: () => true,
  on: ({ enabled }: LoreEntry) => enabled,
  off: ({ enabled }: LoreEntry) => !enabled,
  constant: ({ activation }: LoreEntry) => activation.constant === true,
};

export type EntryState = keyof typeof isIn;
export const entryStates = Object.keys(isIn) as readonly EntryState[];

/** Which entries are looked at, and in which order. */
export interface EntryQuery {
  readonly search: string;
  /** All books, where none is named. */
  readonly book: string | undefined;
  readonly state: EntryState;
  readonly sort: EntrySort;
  readonly isFalling: boolean;
}

export function findEntries(
  entries: readonly LoreEntry[],
  query: EntryQuery,
  tokensOf: (entry: LoreEntry) => number,
): readonly LoreEntry[] {
  const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    if (query.book !== undefined && entry.activation.book !== query.book) return false;
    return isIn[query.state](entry) && words.every((word) => searchText(entry).includes(word));
  });
  if (query.sort === "list") return query.isFalling ? found.toReversed() : found;
  const compare = comparers(tokensOf)[query.sort];
  return found.toSorted((a, b) => (query.isFalling ? -compare(a, b) : compare(a, b)));
}

type Comparer = (a: LoreEntry, b: LoreEntry) => number;

function comparers(tokensOf: (entry: LoreEntry) => number): Readonly<Record<Exclude<EntrySort, "list">, Comparer>> {
  return {
    name: (a, b) => entryName(a).localeCompare(entryName(b)),
    order: (a, b) => (a.activation.order ?? defaultOrder) - (b.activation.order ?? defaultOrder),
    tokens: (a, b) => tokensOf(a) - tokensOf(b),
  };
}

/** All that a search looks at; made once for each entry, because every letter that is typed asks for all of them. */
const searchText = madeOnce(({ id, name = "", content, activation }: LoreEntry) => {
  const { keys = [], secondaryKeys = [] } = activation;
  return [id, name, ...keys, ...secondaryKeys, content].join("\n").toLowerCase();
});

/** The books of the entries, in order of appearance. */
export function booksOf(entries: readonly LoreEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ activation: { book } }) => (book === undefined ? [] : [book])))];
}

/** Keys as they are typed: separated by commas; a regular expression may have commas of its own. */
export function parseKeys(text: string): readonly string[] {
  const parts = text.match(/\s*\/(?:[^/\\\n]|\\.)+\/[a-z]*\s*(?=,|$)|[^,]+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

export function formatKeys(keys: readonly string[] = []): string {
  return keys.join(", ");
}
