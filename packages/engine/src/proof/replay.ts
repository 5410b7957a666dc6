import { build } from "../fit/build.ts";
import type { Build } from "../fit/types.ts";
import type { SessionEntry } from "../model/entries.ts";
import type { TokenAccount } from "../tokens/account.ts";
import { type BuildRecord, type OpenedRecord, isBuildRecord, noRecord, openRecord } from "./build-record.ts";
import { checkRecordedInputs } from "./check-recorded-inputs.ts";
import { type DigestOptions, digestItem, digestOf } from "./digest.ts";

/** One past build, built again. */
export interface ReplayedBuild {
  readonly record: BuildRecord;
  /** How many entries the session had. */
  readonly entries: number;
  readonly build: Build;
  readonly digest: string;
  readonly isSame: boolean;
  /** The first message that differs from what was sent; nothing when none does. */
  readonly firstDifference: number | undefined;
}

/** Builds every recorded build of a session again, from the log alone, and compares what was sent [P2]. Each is counted by the
 *  tokenizer that its record names. */
export function* replay(
  entries: readonly SessionEntry[],
  accountFor: TokenAccount | ((record: BuildRecord) => TokenAccount),
  options: DigestOptions = {},
): Generator<ReplayedBuild> {
  let opened: OpenedRecord = noRecord;
  for (const [index, record] of entries.entries()) {
    if (!isBuildRecord(record)) continue;
    const before = opened.inputs;
    opened = openRecord(record, opened);
    // Most records change nothing but the time.
    if (hasNewInputs(before, opened.inputs)) checkRecordedInputs(opened, record.id);
    const { config = { maxInputTokens: Number.MAX_SAFE_INTEGER }, ...inputs } = opened.inputs;
    const account = typeof accountFor === "function" ? accountFor(record) : accountFor;
    const built = build({ ...inputs, config, account, entries: entries.slice(0, index) });
    const digest = digestOf(built, options);
    const isSame = digest === record.digest;
    yield {
      record,
      entries: index,
      build: built,
      digest,
      isSame,
      firstDifference: isSame ? undefined : firstDifference(built, opened.hashes, options),
    };
  }
}

function hasNewInputs(before: object, present: object): boolean {
  const old: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(present).some(([name, value]) => old[name] !== value);
}

function firstDifference({ messages }: Build, hashes: readonly string[], options: DigestOptions): number {
  const position = hashes.findIndex((hash, index) => {
    const message = messages[index];
    return !message || digestItem(message, options).slice(0, 8) !== hash;
  });
  // When every recorded message is there, what differs is one more behind them, or a tool.
  return position < 0 ? hashes.length : position;
}
