import { GalleyError } from "../model/errors.ts";

// Deflate (RFC 1951), because the engine may use nothing of Node and must be able to stop a zip bomb while it unpacks.

const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const distanceExtra = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** How many codes there are of each length, and the symbols in the order of their codes. */
interface Codes {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** Unpacks deflated bytes; throws when they are damaged or would be more than `limit`. */
export function inflate(packed: Uint8Array, limit: number): Uint8Array {
  const bits = bitReader(packed);
  const out = growingBytes(limit);
  let isLast = false;
  while (!isLast) {
    isLast = bits.take(1) === 1;
    const kind = bits.take(2);
    if (kind === 0) copyStored(bits, out);
    else if (kind === 1) readBlock(bits, out, fixedLengths, fixedDistances);
    else if (kind === 2) readBlock(bits, out, ...readCodes(bits));
    else throw damaged();
  }
  return out.finish();
}

interface BitReader {
  take(count: number): number;
  /** Whole bytes from the next byte on. */
  bytes(count: number): Uint8Array;
}

function bitReader(packed: Uint8Array): BitReader {
  let at = 0;
  let buffer = 0;
  let held = 0;
  return {
    take(count) {
      while (held < count) {
        const byte = packed[at++];
        if (byte === undefined) throw damaged();
        buffer |= byte << held;
        held += 8;
      }
      const value = buffer & ((1 << count) - 1);
      buffer >>>= count;
      held -= count;
      return value;
    },
    bytes(count) {
      at -= held >> 3;
      buffer = 0;
      held = 0;
      if (at + count > packed.length) throw damaged();
      at += count;
      return packed.subarray(at - count, at);
    },
  };
}

interface GrowingBytes {
  push(byte: number): void;
  pushAll(bytes: Uint8Array): void;
  repeat(distance: number, length: number): void;
  finish(): Uint8Array;
}

function growingBytes(limit: number): GrowingBytes {
  let bytes = new Uint8Array(Math.min(limit, 0x1_00_00));
  let size = 0;
  const makeRoom = (more: number): void => {
    if (size + more > limit) {
      throw new GalleyError("ImportFailed", `The archive unpacks to more than ${limit} bytes.`, {
        hint: "No card is so large; the file may have been made to do harm.",
      });
    }
    if (size + more <= bytes.length) return;
    const larger = new Uint8Array(Math.min(limit, Math.max(bytes.length * 2, size + more)));
    larger.set(bytes.subarray(0, size));
    bytes = larger;
  };
  return {
    push(byte) {
      if (size === bytes.length) makeRoom(1);
      bytes[size++] = byte;
    },
    pushAll(more) {
      makeRoom(more.length);
      bytes.set(more, size);
      size += more.length;
    },
    repeat(distance, length) {
      if (distance > size) throw damaged();
      makeRoom(length);
      for (let index = 0; index < length; index += 1, size += 1) bytes[size] = bytes[size - distance] as number;
    },
    finish: () => bytes.subarray(0, size),
  };
}

function copyStored(bits: BitReader, out: GrowingBytes): void {
  const header = bits.bytes(4);
  const length = (header[0] as number) | ((header[1] as number) << 8);
  const check = (header[2] as number) | ((header[3] as number) << 8);
  if (length !== (~check & 0xff_ff)) throw damaged();
  out.pushAll(bits.bytes(length));
}

function readBlock(bits: BitReader, out: GrowingBytes, lengths: Codes, distances: Codes): void {
  for (;;) {
    const symbol = readSymbol(bits, lengths);
    if (symbol < 256) out.push(symbol);
    else if (symbol === 256) return;
    else {
      const [base, extra] = [lengthBase[symbol - 257], lengthExtra[symbol - 257]];
      if (base === undefined || extra === undefined) throw damaged();
      const length = base + bits.take(extra);
      const code = readSymbol(bits, distances);
      const [from, more] = [distanceBase[code], distanceExtra[code]];
      if (from === undefined || more === undefined) throw damaged();
      out.repeat(from + bits.take(more), length);
    }
  }
}

/** Bit by bit: the codes of one length are consecutive numbers. */
function readSymbol(bits: BitReader, { counts, symbols }: Codes): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length < 16; length += 1) {
    code |= bits.take(1);
    const count = counts[length] as number;
    if (code - count < first) return symbols[index + code - first] as number;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw damaged();
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  counts[0] = 0;
  const offsets = new Uint16Array(16);
  for (let length = 1; length < 16; length += 1) {
    offsets[length] = (offsets[length - 1] as number) + (counts[length - 1] as number);
  }
  const symbols = new Uint16Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) {
    if (length > 0) symbols[(offsets[length] = (offsets[length] as number) + 1) - 1] = symbol;
  }
  return { counts, symbols };
}

const fixedLengths = codesOf(
  Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
);
const fixedDistances = codesOf(Array.from({ length: 30 }, () => 5));

function readCodes(bits: BitReader): [Codes, Codes] {
  const lengthCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const given = bits.take(4) + 4;
  const order = Array.from({ length: 19 }, () => 0);
  for (const place of codeOrder.slice(0, given)) order[place] = bits.take(3);
  const codes = codesOf(order);
  const lengths: number[] = [];
  while (lengths.length < lengthCount + distanceCount) {
    const symbol = readSymbol(bits, codes);
    if (symbol < 16) lengths.push(symbol);
    else {
      const before = symbol === 16 ? lengths.at(-1) : 0;
      if (before === undefined) throw damaged();
      const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
      for (let index = 0; index < times; index += 1) lengths.push(before);
    }
  }
  if (lengths.length > lengthCount + distanceCount) throw damaged();
  return [codesOf(lengths.slice(0, lengthCount)), codesOf(lengths.slice(lengthCount))];
}

function damaged(): GalleyError {
  return new GalleyError("ImportFailed", "The packed data is damaged.", { hint: "Export the file again." });
}
