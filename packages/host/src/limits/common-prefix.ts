import { knownPrefix } from "@galley/engine";

/** What was compared last with a list. Weak both ways: a chain of lists that grew from each other must not stay in memory. */
const compared = new WeakMap<readonly unknown[], { before: WeakRef<readonly unknown[]>; length: number }>();
/** Less than this is compared faster than looked up. */
const longList = 256;

/**
 * How many items from the front are the same. Lists that were given here do not change any more: asked again, the answer is
 * remembered.
 */
export function commonPrefix<Item>(before: readonly Item[], after: readonly Item[]): number {
  const known = knownPrefix(before, after);
  const isLong = Math.min(before.length, after.length) - known >= longList;
  const found = isLong ? compared.get(after) : undefined;
  if (found?.before.deref() === before) return found.length;
  const length = typeof after[known] === "string" ? sameTexts(before, after, known) : sameObjects(before, after, known);
  if (isLong) compared.set(after, { before: new WeakRef(before), length });
  return length;
}

// The same loop twice: where it has met texts, comparing objects costs six times as much.

function sameTexts(before: readonly unknown[], after: readonly unknown[], known: number): number {
  let length = known;
  while (length < before.length && length < after.length && before[length] === after[length]) length += 1;
  return length;
}

function sameObjects(before: readonly unknown[], after: readonly unknown[], known: number): number {
  let length = known;
  while (length < before.length && length < after.length && before[length] === after[length]) length += 1;
  return length;
}
