import { canonicalJson } from "../model/canonical-json.ts";
import { canonicalMessage } from "../model/canonical-message.ts";
import type { ModelMessage, ToolSpec } from "../model/messages.ts";
import { type Secrets, redactText } from "../model/secrets.ts";
import { type Sha256, sha256Hex } from "../model/sha256.ts";

/** What a digest is made of; any build has it. */
export interface Digestible {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ToolSpec[];
}

export interface DigestOptions {
  /** Counted as `‹secret:name›`, so that a digest gives nothing away and outlives a token. */
  readonly secrets?: Secrets;
  readonly sha256?: Sha256;
}

/** Messages never change, so that each is hashed once. */
const known = new WeakMap<object, string>();

/** SHA-256 of one message or tool in canonical JSON; bytes count as their own hash [P2]. */
export function digestItem(item: ModelMessage | ToolSpec, options: DigestOptions = {}): string {
  if (options.secrets) return hash(item, options);
  let digest = known.get(item);
  if (digest === undefined) {
    digest = hash(item, options);
    known.set(item, digest);
  }
  return digest;
}

/** SHA-256 over the SHA-256 of each message and each tool, in order: equal digests mean that equal bytes were sent. */
export function digestOf({ messages, tools = [] }: Digestible, options: DigestOptions = {}): string {
  const hashes = [...messages, ...tools].map((item) => digestItem(item, options)).join("");
  return options.sha256?.(hashes) ?? sha256Hex(hashes);
}

const bytesAsHash = { writeBytes: (bytes: Uint8Array): string => `‹sha256:${sha256Hex(bytes)}›` };

function hash(item: ModelMessage | ToolSpec, options: DigestOptions): string {
  const { secrets } = options;
  const how = secrets ? { ...bytesAsHash, writeText: (text: string) => redactText(text, secrets) } : bytesAsHash;
  const json = "role" in item ? canonicalMessage(item, how) : canonicalJson(item, how);
  return options.sha256?.(json) ?? sha256Hex(json);
}
