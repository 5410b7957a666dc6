import {
  type InputCheck,
  explain,
  fieldsCheck,
  functionCheck,
  listCheck,
  objectCheck,
  textsByNameCheck,
} from "../model/check/input.ts";
import { messageCheck, toolCheck } from "../model/message-schema.ts";
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

type Known = WeakMap<object, string>;

/** Messages never change, so that each is hashed once. */
const known: Known = new WeakMap();

/** SHA-256 of one message or tool in canonical JSON; bytes count as their own hash [P2]. */
export function digestItem(item: ModelMessage | ToolSpec, options: DigestOptions = {}): string {
  try {
    return digestIn(known, item, options);
  } catch (error) {
    throw explain(error, () => {
      itemCheck(item, "item");
      optionsCheck(options, "options");
    });
  }
}

const itemCheck: InputCheck = (item, path) => {
  objectCheck(item, path);
  if ("role" in (item as object)) messageCheck(item, path);
  else toolCheck(item, path);
};
const optionsCheck = fieldsCheck({ secrets: textsByNameCheck, sha256: functionCheck });
/** What has messages and perhaps tools. */
export const digestibleCheck: InputCheck = fieldsCheck(
  { messages: listCheck(messageCheck), tools: listCheck(toolCheck) },
  ["messages"],
);

/** SHA-256 over the SHA-256 of each message and each tool, in order: equal digests mean that equal bytes were sent. */
export function digestOf(build: Digestible, options: DigestOptions = {}): string {
  try {
    const { messages, tools = [] } = build;
    const own = options.secrets ? known : knownOf(messages);
    let hashes = "";
    for (const message of messages) hashes += digestIn(own, message, options);
    for (const tool of tools) hashes += digestIn(known, tool, options);
    return options.sha256?.(hashes) ?? sha256Hex(hashes);
  } catch (error) {
    throw explain(error, () => {
      digestibleCheck(build, "build");
      optionsCheck(options, "options");
    });
  }
}

function digestIn(digests: Known, item: ModelMessage | ToolSpec, options: DigestOptions): string {
  if (options.secrets) return hash(item, options);
  let digest = digests.get(item);
  if (digest === undefined) {
    digest = hash(item, options);
    digests.set(item, digest);
  }
  return digest;
}

// The digests of one session's messages are kept together: in one map for all sessions, each takes twice as long to keep.
const sessions = new WeakMap<ModelMessage, Known>();
/** How many messages may have come since the digest before. */
const maxNew = 64;
/** How many messages lead to the digests of their session. */
const leading = 16;

/** The digests of the session that these messages are from, which is known by either end of what it sent before. */
function knownOf(messages: readonly ModelMessage[]): Known {
  let found: Known | undefined;
  let index = messages.length;
  const oldest = Math.max(0, messages.length - maxNew);
  while (!found && index > oldest) found = sessions.get(messages[(index -= 1)] as ModelMessage);
  const isNear = found !== undefined && index >= messages.length - maxNew / 2;
  const ends = [messages.at(-1), messages[0], messages[1]].filter((message) => message !== undefined);
  for (const end of ends) found ??= sessions.get(end);
  found ??= new WeakMap();
  for (const end of ends) sessions.set(end, found);
  // Steps around the conversation may be new objects in every build: a message between them leads here as well.
  if (!isNear) for (const message of messages.slice(-leading)) sessions.set(message, found);
  return found;
}

const bytesAsHash = { writeBytes: (bytes: Uint8Array): string => `‹sha256:${sha256Hex(bytes)}›` };

function hash(item: ModelMessage | ToolSpec, options: DigestOptions): string {
  const { secrets } = options;
  const how = secrets ? { ...bytesAsHash, writeText: (text: string) => redactText(text, secrets) } : bytesAsHash;
  const json = "role" in item ? canonicalMessage(item, how) : canonicalJson(item, how);
  return options.sha256?.(json) ?? sha256Hex(json);
}
