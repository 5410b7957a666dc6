import { deflateSync, inflateSync } from "node:zlib";
import type { LedgerRow } from "@galley/engine";
import { type Piece, applyDifference, difference } from "./list-delta.ts";

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

/** A row whose position is counted from the one before: it stays the same when something in front comes or goes. */
export type RelativeRow = LedgerRow;

/** Rows never change, and most come again in the next build: each is written once for the position that it has. */
const written = new WeakMap<LedgerRow, { readonly position: number | undefined; readonly json: string }>();

/** The rows of a ledger as JSON, each with its position counted from the row before it that has one. */
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

export function absoluteRows(rows: readonly RelativeRow[]): LedgerRow[] {
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

export function readRows(before: readonly RelativeRow[], text: string): RelativeRow[] {
  const parts = JSON.parse(unpackText(text)) as (RelativeRow | readonly [number, number])[];
  const pieces = parts.map((piece): Piece<RelativeRow> => {
    if (!isStretch(piece)) return { added: [piece] };
    return { from: piece[0], count: piece[1] };
  });
  return applyDifference(before, pieces);
}

function isStretch(piece: RelativeRow | readonly [number, number]): piece is readonly [number, number] {
  return Array.isArray(piece);
}

/** Below this, compressing saves nothing that anybody would notice. */
const longText = 400;
/** Before compressed text; JSON never begins with it. */
const packed = "z";

function packText(text: string): string {
  return text.length < longText ? text : `${packed}${deflateSync(text).toString("base64")}`;
}

function unpackText(text: string): string {
  return text.startsWith(packed) ? inflateSync(Buffer.from(text.slice(1), "base64")).toString() : text;
}
