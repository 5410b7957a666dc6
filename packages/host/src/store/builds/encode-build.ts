import { deflateSync, inflateSync } from "node:zlib";
import type { LedgerRow } from "@galley/engine";
import { commonPrefix } from "../../limits/common-prefix.ts";

// How the two lists of a build are written, as JSON: the numbers of what it sends as stretches [first, count, 1] of numbers that
// follow each other, the ledger in terms of the build before, where a pair [from, count] is a stretch of that one's rows.
// Whatever is long is compressed.

/** Builds of former versions have pairs here as well: [from, count] of the numbers of the build before. */
type NumberPiece = readonly [number, number] | readonly [number, number, 1];

/** Numbers as stretches [first, count] of those that follow each other: a window of thousands is a few of them. */
export type Stretches = readonly (readonly [number, number])[];

export function stretchesOf(numbers: readonly number[]): Stretches {
  return joinStretches(numbers.map((number): [number, number] => [number, 1]));
}

/** The same numbers in as few stretches as can be. */
export function joinStretches(...parts: readonly Stretches[]): Stretches {
  const joined: [number, number][] = [];
  for (const [first, count] of parts.flat()) {
    const last = joined.at(-1);
    if (last && last[0] + last[1] === first) last[1] += count;
    else joined.push([first, count]);
  }
  return joined;
}

export function cutStretches(stretches: Stretches, count: number): Stretches {
  const kept: [number, number][] = [];
  let left = count;
  for (const [first, length] of stretches) {
    if (left <= 0) break;
    kept.push([first, Math.min(length, left)]);
    left -= length;
  }
  return kept;
}

export function writeNumbers(numbers: Stretches): string {
  return packText(JSON.stringify(numbers.map(([first, count]) => [first, count, 1])));
}

export function readNumbers(before: readonly number[], text: string): number[] {
  const pieces = (JSON.parse(unpackText(text)) as NumberPiece[]).map(([from, count, isNew]): Piece<number> =>
    isNew ? { added: Array.from({ length: count }, (_, index) => from + index) } : { from, count },
  );
  return applyDifference(before, pieces);
}

/** Rows of a ledger, and what was written of them. Rows never change, and most come again in the next build. */
export interface WrittenRows {
  readonly ledger: readonly LedgerRow[];
  readonly rows: readonly string[];
}

/** The rows of a ledger as they are written: the first `shared` are those of the ledger before. */
export interface RelativeRows {
  readonly shared: number;
  readonly added: readonly string[];
}

/** The rows of a ledger as JSON, each with its position counted from the row before it that has one, so that it stays the same when something in front comes or goes. */
export function relativeRows(ledger: readonly LedgerRow[], before?: WrittenRows): RelativeRows {
  const shared = before ? commonPrefix(before.ledger, ledger) : 0;
  let last = shared - 1;
  while (last >= 0 && ledger[last]?.position === undefined) last -= 1;
  let next = (ledger[last]?.position ?? -1) + 1;
  const added = ledger.slice(shared).map((row) => {
    if (row.position === undefined) return JSON.stringify(row);
    const position = row.position - next;
    next = row.position + 1;
    return JSON.stringify({ ...row, position });
  });
  return { shared, added };
}

export function absoluteRows(rows: readonly LedgerRow[]): LedgerRow[] {
  let next = 0;
  return rows.map((row) => {
    if (row.position === undefined) return row;
    const position = next + row.position;
    next = position + 1;
    return { ...row, position };
  });
}

export function writeRows(before: readonly string[], { shared, added }: RelativeRows): string {
  const pieces = difference(before, added, shared).flatMap(
    (piece) => piece.added ?? [`[${piece.from},${piece.count}]`],
  );
  return packText(`[${pieces.join(",")}]`);
}

export function readRows(before: readonly LedgerRow[], text: string): LedgerRow[] {
  const parts = JSON.parse(unpackText(text)) as (LedgerRow | readonly [number, number])[];
  const pieces = parts.map((part): Piece<LedgerRow> =>
    "id" in part ? { added: [part] } : { from: part[0], count: part[1] },
  );
  return applyDifference(before, pieces);
}

/** Below this, compressing saves too little to be worth it. */
const longText = 400;
/** Before compressed text; JSON never begins with it. */
const packed = "z";

function packText(text: string): string {
  return text.length < longText ? text : `${packed}${deflateSync(text).toString("base64")}`;
}

function unpackText(text: string): string {
  return text.startsWith(packed) ? inflateSync(Buffer.from(text.slice(1), "base64")).toString() : text;
}

/** A part of a list: a stretch of the list before, or what is new. */
export type Piece<Item> =
  | { readonly from: number; readonly count: number; readonly added?: undefined }
  | { readonly added: readonly Item[] };

/**
 * A list as stretches of another and what is new, so that one that was appended to, or lost something in front, is told in
 * two or three pieces. Not always the fewest; `applyDifference` gives back exactly this list, whatever the two are. Where the
 * first `shared` items are known to be the same, `after` is what follows them.
 */
export function difference<Item>(before: readonly Item[], after: readonly Item[], shared = 0): readonly Piece<Item>[] {
  let start = shared;
  while (start < before.length && start - shared < after.length && before[start] === after[start - shared]) start += 1;
  const places = new Map(before.slice(start).map((item, index) => [item, start + index]));
  const stretch = { from: 0, count: start };
  const pieces: ({ from: number; count: number; added?: undefined } | { added: Item[] })[] = start > 0 ? [stretch] : [];
  for (const item of after.slice(start - shared)) {
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
