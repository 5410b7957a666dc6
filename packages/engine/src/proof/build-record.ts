import { type BuildRequest, requestCheck } from "../fit/window/build-request.ts";
import {
  anyListCheck,
  fieldsCheck,
  listCheck,
  objectCheck,
  textCheck,
  textsByNameCheck,
} from "../model/check/input.ts";
import type { Build } from "../fit/types.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import type { CustomEntry, SessionEntry } from "../model/entries.ts";
import { commonPrefix } from "../model/grown-lists.ts";
import { hashId } from "../model/entry-ids.ts";
import { type Secrets, redactSecrets } from "../model/secrets.ts";
import { digestItem, digestOf } from "./digest.ts";

/** Everything that a build depends on besides the log and the tokenizer. */
const inputNames = [
  "config",
  "preset",
  "model",
  "systemPrompt",
  "userProfile",
  "variables",
  "reply",
  "replyPrompt",
  "seed",
  "fixedDraw",
  "now",
  "tools",
  "runtimeInit",
  "hints",
  "leafId",
] as const satisfies readonly (keyof BuildRequest)[];

type RecordedInputs = Partial<Pick<BuildRequest, (typeof inputNames)[number]>>;

/**
 * A build as an entry of its session, from which it can be rebuilt and compared [P2]. Inputs and hashes are written as
 * what has changed since the record before, so that a long session does not repeat its preset and its history.
 */
export interface BuildRecord extends CustomEntry {
  readonly kind: "build";
  readonly digest: string;
  /** How many message hashes are those of the record before; the rest follows. */
  readonly keep: number;
  /** The first eight hex digits of each further message's hash: enough to say which one differs. */
  readonly hashes: readonly string[];
  /** Inputs that differ from the record before; `null` for those that are gone. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly tokenizer: string;
}

export interface RecordOptions {
  /** Are not written down; a digest counts them by name. */
  readonly secrets?: Secrets;
}

const optionsCheck = fieldsCheck({ secrets: textsByNameCheck });
const buildCheck = fieldsCheck(
  {
    messages: anyListCheck,
    stats: fieldsCheck({ tokenizer: textCheck }, ["tokenizer"]),
    entriesToAppend: listCheck(objectCheck),
  },
  ["messages", "stats", "entriesToAppend"],
);

/** The record of a build, to be appended behind the build's own entries. */
export function recordBuild(request: BuildRequest, build: Build, options: RecordOptions = {}): BuildRecord {
  requestCheck(request, "request");
  buildCheck(build, "build");
  optionsCheck(options, "options");
  const { secrets = {} } = options;
  const before = lastRecord(request.entries);
  const present = redactSecrets(pickInputs(request), secrets);
  const hashes = build.messages.map((message) => digestItem(message, { secrets }).slice(0, 8));
  const keep = commonPrefix(before.hashes, hashes);
  const body = {
    type: "custom",
    kind: "build",
    digest: digestOf(build, { secrets }),
    keep,
    hashes: hashes.slice(keep),
    inputs: changedInputs(before.inputs, present),
    tokenizer: build.stats.tokenizer,
  } as const;
  const tail = build.entriesToAppend.at(-1) ?? request.entries.at(-1);
  return { id: hashId("b", [tail?.id ?? null, body]), ts: request.now ?? tail?.ts ?? 0, ...body };
}

/** By its whole shape: other programs may write entries of this name, and files get damaged. */
export function isBuildRecord(entry: SessionEntry): entry is BuildRecord {
  // Also for what is not an entry.
  if (typeof entry !== "object" || entry === null) return false;
  if (entry.type !== "custom" || entry["kind"] !== "build") return false;
  const { digest, keep, hashes, inputs, tokenizer } = entry;
  const areHashes = Array.isArray(hashes) && hashes.every((hash) => typeof hash === "string");
  const isNamed = typeof digest === "string" && typeof tokenizer === "string";
  const isCounted = Number.isSafeInteger(keep) && Number(keep) >= 0;
  return areHashes && isNamed && isCounted && typeof inputs === "object" && inputs !== null && !Array.isArray(inputs);
}

/** What a record says in full, given what the one before it said. */
export interface OpenedRecord {
  readonly inputs: RecordedInputs;
  readonly hashes: readonly string[];
}

export const noRecord: OpenedRecord = { inputs: {}, hashes: [] };

export function openRecord(record: BuildRecord, before: OpenedRecord): OpenedRecord {
  const inputs: Record<string, unknown> = { ...before.inputs };
  for (const [name, value] of Object.entries(record.inputs)) {
    if (value === null) delete inputs[name];
    else inputs[name] = value;
  }
  return { inputs, hashes: [...before.hashes.slice(0, record.keep), ...record.hashes] };
}

function lastRecord(entries: readonly SessionEntry[]): OpenedRecord {
  return entries.filter(isBuildRecord).reduce((before, record) => openRecord(record, before), noRecord);
}

function pickInputs(request: BuildRequest): Record<string, unknown> {
  return Object.fromEntries(inputNames.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}

function changedInputs(before: RecordedInputs, present: Record<string, unknown>): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const name of inputNames) {
    const [old, now] = [before[name] ?? null, present[name] ?? null];
    if (canonicalJson(old) !== canonicalJson(now)) changed[name] = now;
  }
  return changed;
}
