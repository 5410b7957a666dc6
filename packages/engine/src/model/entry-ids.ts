import { functionCheck, wrongInput } from "./check/input.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type Sha256, sha256Hex } from "./sha256.ts";
import type { ModelMessage } from "./messages.ts";

/** An id that depends on what it names and on nothing else. */
export function hashId(prefix: string, value: unknown, sha256: Sha256 = sha256Hex): string {
  const hash: unknown = sha256(canonicalJson(value));
  if (typeof hash !== "string") throw wrongInput("sha256()", "a text of hex digits", hash);
  return `${prefix}_${hash.slice(0, 20)}`;
}

/**
 * The id of a message that came without one: made from the tail it follows, its index among the new messages and its
 * content, so that sending the same input twice adds nothing [F13].
 */
export function deriveEntryId(tail: string | null, index: number, message: ModelMessage, sha256?: Sha256): string {
  if (sha256 !== undefined) functionCheck(sha256, "sha256");
  return hashId("m", [tail, index, message], sha256);
}
