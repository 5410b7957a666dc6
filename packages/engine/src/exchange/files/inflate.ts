// Deflate (RFC 1951), read by hand: packages for it make their tables when they are loaded, in every program that imports
// the engine, and few of these open an archive.

import { GalleyError } from "../../model/errors.ts";

/** The lengths that the symbols from 257 on begin with, and how many more bits each has; the same for distances. */
const [lengthBase, lengthBits] = steps(3, [8, 4, 4, 4, 4, 4]);
const [distanceBase, distanceBits] = steps(1, [4, ...Array<number>(13).fill(2)]);
const maxCopyLength = 258;
/** The order in which a block tells the lengths of the codes that tell its other codes. */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const maxCodeBits = 15;
const endOfBlock = 256;

/** A code in which symbols of the same length follow each other: how many have each length, and the symbols in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: readonly number[];
}

type ReadBits = (count: number) => number;

/** Unpacks deflated bytes; throws when they are damaged or would be more than `limit`. */
export function inflate(packed: Uint8Array, limit: number): Uint8Array {
  const bits = bitReader(packed);
  const output = growingBytes(limit);
  let isLast = false;
  while (!isLast) {
    isLast = bits(1) === 1;
    const kind = bits(2);
    if (kind === 0) for (const byte of bits.stored()) output.push(byte);
    else if (kind === 1) readBlock(bits, output, fixedCodes());
    else if (kind === 2) readBlock(bits, output, readCodes(bits));
    else throw damaged();
  }
  return output.bytes();
}

function damaged(): GalleyError {
  return new GalleyError("ImportFailed", "The packed data is damaged.", { hint: "Export the file again." });
}

function steps(start: number, counts: readonly number[]): readonly [base: number[], bits: number[]] {
  const [base, bits]: [number[], number[]] = [[], []];
  let next = start;
  for (const [extra, count] of counts.entries()) {
    for (let index = 0; index < count; index += 1) {
      base.push(next);
      bits.push(extra);
      next += 2 ** extra;
    }
  }
  return [base, bits];
}

function bitReader(packed: Uint8Array): ReadBits & { stored(): Uint8Array } {
  let [at, buffer, held] = [0, 0, 0];
  const read = (count: number): number => {
    for (; held < count; held += 8, at += 1) {
      const byte = packed[at];
      if (byte === undefined) throw damaged();
      buffer |= byte << held;
    }
    const value = buffer & (2 ** count - 1);
    buffer >>>= count;
    held -= count;
    return value;
  };
  /** The bytes of a block that is not packed; it begins with the next whole byte. */
  const stored = (): Uint8Array => {
    [buffer, held] = [0, 0];
    const [length, check] = [read(16), read(16)];
    const part = packed.subarray(at, at + length);
    if (length !== (~check & 0xff_ff) || part.length < length) throw damaged();
    at += length;
    return part;
  };
  return Object.assign(read, { stored });
}

interface GrowingBytes {
  push(byte: number): void;
  /** Repeats what stands `distance` before the end. */
  copy(distance: number, length: number): void;
  bytes(): Uint8Array;
}

function growingBytes(limit: number): GrowingBytes {
  let [bytes, size] = [new Uint8Array(Math.min(limit, 65_536)), 0];
  const push = (byte: number): void => {
    if (size === bytes.length) {
      if (size >= limit) {
        throw new GalleyError("ImportFailed", `The archive unpacks to more than ${limit} bytes.`, {
          hint: "Cards are much smaller; the file may have been made to do harm.",
        });
      }
      const larger = new Uint8Array(Math.min(limit, size * 2));
      larger.set(bytes);
      bytes = larger;
    }
    bytes[size] = byte;
    size += 1;
  };
  return {
    push,
    copy(distance, length) {
      if (distance > size) throw damaged();
      for (let index = 0; index < length; index += 1) push(bytes[size - distance] as number);
    },
    bytes: () => bytes.slice(0, size),
  };
}

function readBlock(bits: ReadBits, output: GrowingBytes, [letters, distances]: readonly [Code, Code]): void {
  for (;;) {
    const symbol = readSymbol(bits, letters);
    if (symbol === endOfBlock) return;
    if (symbol < endOfBlock) output.push(symbol);
    else {
      const length = symbol === 285 ? maxCopyLength : readStep(bits, symbol - 257, lengthBase, lengthBits);
      output.copy(readStep(bits, readSymbol(bits, distances), distanceBase, distanceBits), length);
    }
  }
}

function readStep(bits: ReadBits, index: number, base: readonly number[], more: readonly number[]): number {
  const [start, count] = [base[index], more[index]];
  if (start === undefined || count === undefined) throw damaged();
  return start + bits(count);
}

function readSymbol(bits: ReadBits, { counts, symbols }: Code): number {
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= maxCodeBits; length += 1) {
    code |= bits(1);
    const count = counts[length] as number;
    if (code - first < count) return symbols[index + code - first] as number;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw damaged();
}

/** The code of symbols with these lengths. Only a code of one symbol may leave some bits without a meaning. */
function codeOf(lengths: readonly number[]): Code {
  const counts = new Uint16Array(maxCodeBits + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] as number) + 1;
  let left = 1;
  for (let length = 1; length <= maxCodeBits; length += 1) left = left * 2 - (counts[length] as number);
  const symbols = [...lengths.keys()]
    .filter((symbol) => lengths[symbol] !== 0)
    .sort((a, b) => (lengths[a] as number) - (lengths[b] as number) || a - b);
  if (left < 0 || (left > 0 && symbols.length > 1)) throw damaged();
  return { counts, symbols };
}

function fixedCodes(): readonly [Code, Code] {
  const letters = Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  );
  return [codeOf(letters), codeOf(Array<number>(32).fill(5))];
}

function readCodes(bits: ReadBits): readonly [Code, Code] {
  const [letters, distances, told] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
  const lengthLengths = Array<number>(19).fill(0);
  for (const symbol of lengthOrder.slice(0, told)) lengthLengths[symbol] = bits(3);
  const code = codeOf(lengthLengths);
  const lengths: number[] = [];
  while (lengths.length < letters + distances) {
    const symbol = readSymbol(bits, code);
    if (symbol < 16) lengths.push(symbol);
    else {
      const last = lengths.at(-1);
      if (symbol === 16 && last === undefined) throw damaged();
      const count = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
      for (let index = 0; index < count; index += 1) lengths.push(symbol === 16 ? (last ?? 0) : 0);
    }
  }
  if (lengths.length > letters + distances || lengths[endOfBlock] === 0) throw damaged();
  return [codeOf(lengths.slice(0, letters)), codeOf(lengths.slice(letters))];
}
