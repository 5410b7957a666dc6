/** A part of a list: a stretch of the list before, or what is new. */
export type Piece<Item> =
  | { readonly from: number; readonly count: number; readonly added?: undefined }
  | { readonly added: readonly Item[] };

/**
 * A list as stretches of another and what is new, so that one that was appended to, or lost something in front, is told in
 * two or three pieces. Not always the fewest; `applyDifference` gives back exactly this list, whatever the two are.
 */
export function difference<Item>(before: readonly Item[], after: readonly Item[]): readonly Piece<Item>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  const places = new Map(before.slice(start).map((item, index) => [item, start + index]));
  const stretch = { from: 0, count: start };
  const pieces: ({ from: number; count: number; added?: undefined } | { added: Item[] })[] = start > 0 ? [stretch] : [];
  for (const item of after.slice(start)) {
    const last = pieces.at(-1);
    const from = places.get(item);
    if (last && !last.added && last.from + last.count < before.length && before[last.from + last.count] === item) {
      last.count += 1;
    } else if (from !== undefined) pieces.push({ from, count: 1 });
    else if (last?.added) last.added.push(item);
    else pieces.push({ added: [item] });
  }
  return pieces;
}

export function applyDifference<Item>(before: readonly Item[], pieces: readonly Piece<Item>[]): Item[] {
  return pieces.flatMap((piece) => piece.added ?? before.slice(piece.from, piece.from + piece.count));
}
