import { type Hash, createHash } from "node:crypto";
import { type LedgerRow, type ModelMessage, type Secrets, type ToolSpec, digestItem, growList } from "@galley/engine";
import { sha256 } from "../../disk/sha256.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** What a model is about to read. */
interface Sent {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly ledger: readonly LedgerRow[];
  readonly stablePrefix: number;
}

/** The same as it is written down: without secrets [P6], with the hash of each message and of all [P2]. */
export interface ReadCall extends Omit<Sent, "stablePrefix"> {
  /** Of each message. */
  readonly hashes: readonly string[];
  readonly digest: string;
}

/** A call that was read, for the next one: most of what that sends is the same. */
interface Known extends ReadCall {
  readonly sent: Sent;
  readonly secrets: Secrets;
  /** The hashes of the first `prefix` messages, taken in. */
  readonly prefix: number;
  readonly state: Hash;
}

// By a message near the end: what is known of a call lives no longer than its messages do.
const calls = new WeakMap<ModelMessage, Known>();
/** How many messages may have come since. */
const reach = 64;

/** Reads a call for the record. Only what the call before did not send is looked at [T11]. */
export function readCall(sent: Sent, redactor: Redactor): ReadCall {
  const { messages, tools, ledger, stablePrefix } = sent;
  const secrets = redactor.secrets();
  const found = callBefore(messages);
  const before = found?.secrets === secrets ? found : undefined;
  const shared = before ? commonPrefix(before.sent.messages, messages) : 0;
  const clean = redactRest(before?.messages, messages, shared, redactor);
  const known = before?.hashes ?? [];
  const hashes = growList(known, clean.slice(shared).map(hashOf), shared);
  const sharedRows = before ? commonPrefix(before.sent.ledger, ledger) : 0;
  const cleanTools = before?.sent.tools === tools ? before.tools : redactor.redact(tools);
  const isKnown = before !== undefined && shared >= before.prefix && stablePrefix >= before.prefix;
  const state = isKnown ? before.state.copy() : createHash("sha256");
  for (let index = isKnown ? before.prefix : 0; index < stablePrefix; index += 1) state.update(hashes[index] as string);
  const all = state.copy();
  for (const hash of hashes.slice(stablePrefix)) all.update(hash);
  for (const tool of cleanTools) all.update(hashOf(tool));
  const read = {
    messages: clean,
    tools: cleanTools,
    ledger: redactRest(before?.ledger, ledger, sharedRows, redactor),
    hashes,
    digest: all.digest("hex"),
  };
  const last = messages[stablePrefix - 1] ?? messages.at(-1);
  if (last) calls.set(last, { ...read, sent, secrets, prefix: stablePrefix, state });
  return read;
}

function callBefore(messages: readonly ModelMessage[]): Known | undefined {
  const oldest = Math.max(0, messages.length - reach);
  for (let index = messages.length - 1; index >= oldest; index -= 1) {
    const message = messages[index] as ModelMessage;
    const known = calls.get(message);
    // The call that is read now takes its place: those of all turns would stay as long as their messages.
    if (known) calls.delete(message);
    if (known) return known;
  }
  return undefined;
}

export function hashOf(item: ModelMessage | ToolSpec): string {
  return digestItem(item, { sha256 });
}

/** The list without secrets; of its first `shared` items that is known. The very same list where it holds none. */
function redactRest<Item>(
  before: readonly Item[] | undefined,
  list: readonly Item[],
  shared: number,
  { redact }: Redactor,
): readonly Item[] {
  const rest = list.slice(shared);
  const clean = redact(rest);
  const isClean = clean === rest || clean.every((item, index) => item === rest[index]);
  if (isClean && (!before || commonPrefix(before, list) >= shared)) return list;
  return before ? before.slice(0, shared).concat(clean) : clean;
}
