const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xed_b8_83_20 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as PNG and zip use it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

export function bigEndian32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  );
}

export function littleEndian(bytes: Uint8Array, at: number, length: 2 | 4): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index -= 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

/** One character for each byte. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x20_00) {
    text += String.fromCharCode(...bytes.subarray(from, from + 0x20_00));
  }
  return text;
}

/** UTF-8 as text, without its byte order mark; what is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text = "";
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    // Most of a file is ASCII: whole stretches of it need no decoding.
    let end = at;
    while (end < bytes.length && (bytes[end] as number) < 0x80) end += 1;
    if (end > at) text += latin1(bytes.subarray(at, end));
    at = end;
    const units: number[] = [];
    while (at < bytes.length && (bytes[at] as number) >= 0x80 && units.length < 0x10_00) {
      const { codePoint, length } = readCodePoint(bytes, at);
      units.push(codePoint);
      at += length;
    }
    text += String.fromCodePoint(...units);
  }
  return text;
}

const replacement = 0xff_fd;
/** The smallest code point that needs so many bytes: shorter ones written long are not UTF-8. */
const smallest = [0, 0, 0x80, 0x8_00, 0x1_00_00];

function readCodePoint(bytes: Uint8Array, at: number): { codePoint: number; length: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { codePoint: first, length: 1 };
  const length =
    first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 0;
  if (length === 0) return { codePoint: replacement, length: 1 };
  let codePoint = first & (0x7f >> length);
  for (let index = 1; index < length; index += 1) {
    const next = bytes[at + index];
    if (next === undefined || (next & 0xc0) !== 0x80) return { codePoint: replacement, length: index };
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  const isSurrogate = codePoint >= 0xd8_00 && codePoint < 0xe0_00;
  const isWrong = isSurrogate || codePoint > 0x10_ff_ff || codePoint < (smallest[length] ?? 0);
  return { codePoint: isWrong ? replacement : codePoint, length };
}

const digits = new Map(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").map((digit, index) => [
    digit.charCodeAt(0),
    index,
  ]),
);

/** The bytes that base64 stands for, or nothing when it is not base64. White space does no harm. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const digit = digits.get(code === 45 ? 43 : code === 95 ? 47 : code);
    if (digit === undefined) {
      if (code === 61) break;
      if (code === 32 || (code >= 9 && code <= 13) || code === 0) continue;
      return undefined;
    }
    buffer = ((buffer << 6) | digit) & 0xff_ff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (buffer >> bits) & 0xff;
    }
  }
  return bytes.subarray(0, at);
}
