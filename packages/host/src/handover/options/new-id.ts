import { hash, randomBytes } from "node:crypto";

/** A UUID of version 7 in hex: ids that are made later sort behind those that were made before. */
export function newId(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString("hex");
}

/** The same id for the same parts, so that doing something again finds what was done. */
export function derivedId(...parts: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}
