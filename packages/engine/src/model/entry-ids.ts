import { canonicalJson } from "./canonical-json.ts";
import { sha256Hex } from "./sha256.ts";
import type { ModelMessage } from "./messages.ts";

/** An id that depends on what it names and on nothing else. */
export function hashId(prefix: string, value: unknown): string {
  return `${prefix}_${sha256Hex(canonicalJson(value)).slice(0, 20)}`;
}

/**
 * The id of a message that came without one: made from the tail it follows, its index among the new messages and its
 * content, so that sending the same input twice adds nothing [F13].
 */
export function deriveEntryId(tail: string | null, index: number, message: ModelMessage): string {
  return hashId("m", [tail, index, message]);
}
