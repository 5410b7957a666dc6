import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The platform's own SHA-256 of a text's UTF-8 form, as hex: the same result, faster. */
export type Sha256 = (text: string) => string;

/** SHA-256 of a text's UTF-8 form, or of bytes, as 64 hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));
}
