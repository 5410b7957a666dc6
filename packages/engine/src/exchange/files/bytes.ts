let crcTable: Uint32Array | undefined;

/** Made when it is first needed: few programs that import the engine read pictures. */
function makeCrcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xed_b8_83_20 ^ (value >>> 1) : value >>> 1;
    return value;
  });
}

/** CRC-32 as PNG and zip use it. */
export function crc32(bytes: Uint8Array): number {
  crcTable ??= makeCrcTable();
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

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
