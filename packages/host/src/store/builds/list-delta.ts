/** A part of a list: a stretch of the list before, or what is new. */
export type Piece<Item> =
  | { readonly from: number; readonly count: number; readonly added?: undefined }
  | { readonly added: readonly Item[] };

/**
 * A list as stretches of another and what is new, so that one that was appended to, or lost something in front, is told in
 * two or three pieces. Not always the fewest; `applyDifference` gives back exactly this list, whatever the two are.
 */
export function difference<Item extends string | number>(
  before: readonly Item[],
  after: readonly Item[],
): readonly Piece<Item>[] {
  const places = placesAfter(before, commonStart(before, after));
  const pieces: Piece<Item>[] = [];
  for (let at = 0; at < after.length;) {
    const from = at === 0 && before[0] === after[0] ? 0 : nextPlace(places(), after[at] as Item, endOf(pieces));
    if (from === undefined) {
      at = addTo(pieces, after, at);
      continue;
    }
    let count = 1;
    while (at + count < after.length && from + count < before.length && before[from + count] === after[at + count]) {
      count += 1;
    }
    pieces.push({ from, count });
    at += count;
  }
  return pieces;
}

export function applyDifference<Item>(before: readonly Item[], pieces: readonly Piece<Item>[]): Item[] {
  const list: Item[] = [];
  for (const piece of pieces) {
    const items = piece.added ?? before.slice(piece.from, piece.from + piece.count);
    for (const item of items) list.push(item);
  }
  return list;
}

function commonStart(before: readonly unknown[], after: readonly unknown[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) length += 1;
  return length;
}

/** Where each item stands behind the common start; made when it is first needed, which an append never does. */
function placesAfter<Item>(list: readonly Item[], start: number): () => ReadonlyMap<Item, readonly number[]> {
  let places: Map<Item, number[]> | undefined;
  return () => {
    if (places) return places;
    places = new Map();
    for (let index = start; index < list.length; index += 1) {
      const item = list[index] as Item;
      const found = places.get(item);
      if (found) found.push(index);
      else places.set(item, [index]);
    }
    return places;
  };
}

/** The next place of an item behind the stretch before; going back is allowed where there is none. */
function nextPlace<Item>(places: ReadonlyMap<Item, readonly number[]>, item: Item, behind: number): number | undefined {
  const found = places.get(item);
  return found?.find((place) => place >= behind) ?? found?.[0];
}

function endOf(pieces: readonly Piece<unknown>[]): number {
  const last = pieces.findLast((piece) => piece.added === undefined);
  return last?.added === undefined && last ? last.from + last.count : 0;
}

function addTo<Item>(pieces: Piece<Item>[], after: readonly Item[], at: number): number {
  const last = pieces.at(-1);
  if (last?.added) (last.added as Item[]).push(after[at] as Item);
  else pieces.push({ added: [after[at] as Item] });
  return at + 1;
}
