const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xed_b8_83_20 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as PNG and zip use it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  // An index and not an iterator: pictures are large.
  for (let at = 0; at < bytes.length; at += 1) {
    crc = (crcTable[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
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

/** UTF-8 as text, without its byte order mark; what is not UTF-8 becomes U+FFFD, as the WHATWG's decoder does it. */
export function decodeUtf8(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const units = new Uint16Array(0x20_00);
  let used = 0;
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    if (used > units.length - 2) {
      pieces.push(String.fromCharCode(...units.subarray(0, used)));
      used = 0;
    }
    const first = bytes[at++] as number;
    if (first < 0x80) {
      units[used++] = first;
      continue;
    }
    let missing = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let codePoint = missing === 0 ? 0xff_fd : first & (0x3f >> missing);
    // Only the second byte has other bounds: against long forms, surrogates and what lies beyond Unicode.
    let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    for (; missing > 0; missing -= 1) {
      const next = bytes[at];
      if (next === undefined || next < low || next > high) {
        // A byte that cannot go on ends the character before it, and is read again.
        codePoint = 0xff_fd;
        break;
      }
      codePoint = (codePoint << 6) | (next & 0x3f);
      at += 1;
      low = 0x80;
      high = 0xbf;
    }
    if (codePoint > 0xff_ff) {
      units[used++] = 0xd8_00 + ((codePoint - 0x1_00_00) >> 10);
      units[used++] = 0xdc_00 + (codePoint & 0x3_ff);
    } else units[used++] = codePoint;
  }
  pieces.push(String.fromCharCode(...units.subarray(0, used)));
  return pieces.join("");
}

const notADigit = 255;
const digits = new Uint8Array(256).fill(notADigit);
for (const [value, digit] of Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").entries()) {
  digits[digit.charCodeAt(0)] = value;
}
// The variant for addresses.
digits[45] = 62;
digits[95] = 63;

/** The bytes that base64 stands for, or nothing when it is not base64. White space does no harm. */
export function decodeBase64(text: Uint8Array): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text[index] as number;
    const digit = digits[code] as number;
    if (digit === notADigit) {
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
