import { deflateSync, inflateSync } from "node:zlib";
import type { LedgerRow } from "@galley/engine";

// How the two lists of a build are written, as JSON: the numbers of what it sends as stretches [first, count, 1] of numbers that
// follow each other, the ledger in terms of the build before, where a pair [from, count] is a stretch of that one's rows.
// Whatever is long is compressed.

/** Builds of former versions have pairs here as well: [from, count] of the numbers of the build before. */
type NumberPiece = readonly [number, number] | readonly [number, number, 1];

export function writeNumbers(numbers: readonly number[]): string {
  const runs: [number, number, 1][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === number) last[1] += 1;
    else runs.push([number, 1, 1]);
  }
  return packText(JSON.stringify(runs));
}

export function readNumbers(before: readonly number[], text: string): number[] {
  const pieces = (JSON.parse(unpackText(text)) as NumberPiece[]).map(([from, count, isNew]): Piece<number> =>
    isNew ? { added: Array.from({ length: count }, (_, index) => from + index) } : { from, count },
  );
  return applyDifference(before, pieces);
}

/** Rows never change, and most come again in the next build: each is written once for the position that it has. */
const written = new WeakMap<LedgerRow, { readonly position: number | undefined; readonly json: string }>();

/** The rows of a ledger as JSON, each with its position counted from the row before it that has one, so that it stays the same when something in front comes or goes. */
export function relativeRows(ledger: readonly LedgerRow[]): string[] {
  let next = 0;
  return ledger.map((row) => {
    const position = row.position === undefined ? undefined : row.position - next;
    if (row.position !== undefined) next = row.position + 1;
    const known = written.get(row);
    if (known && known.position === position) return known.json;
    const json = JSON.stringify(position === undefined ? row : { ...row, position });
    written.set(row, { position, json });
    return json;
  });
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

export function writeRows(before: readonly string[], after: readonly string[]): string {
  const pieces = difference(before, after).flatMap((piece) => piece.added ?? [`[${piece.from},${piece.count}]`]);
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
