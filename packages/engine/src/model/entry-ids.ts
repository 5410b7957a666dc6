import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical-json.ts";
import type { ModelMessage } from "./messages.ts";

/**
 * The id of a message that came without one: made from the tail it follows, its index among the new messages and its
 * content, so that sending the same input twice adds nothing [F13].
 */
export function deriveEntryId(tail: string | null, index: number, message: ModelMessage): string {
  const hash = sha256(utf8ToBytes(canonicalJson([tail, index, message])));
  return `m_${bytesToHex(hash).slice(0, 20)}`;
}
