import { replyKinds } from "../compose/activation/activation.ts";
import * as z from "zod";
import { anyListCheck, textCheck } from "../model/check/input.ts";
import { parsePreset } from "../compose/preset/parse-preset.ts";
import { GalleyError, throwOnErrors } from "../model/check/errors.ts";
import { parseTools } from "../model/message-schema.ts";
import { problemsOf } from "../model/check/zod-problems.ts";
import { build } from "../fit/build.ts";
import type { Build } from "../fit/types.ts";
import type { SessionEntry } from "../model/entries.ts";
import type { TokenAccount } from "../tokens/account.ts";
import { type BuildRecord, type OpenedRecord, isBuildRecord, noRecord, openRecord } from "./build-record.ts";
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
  anyListCheck(entries, "entries");
  let opened: OpenedRecord = noRecord;
  for (const [index, record] of entries.entries()) {
    if (!isBuildRecord(record)) continue;
    textCheck(record.id, `entries[${index}].id`);
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

const inputsSchema = z.lazy(() => {
  const object = z.record(z.string(), z.unknown());
  return z.looseObject({
    config: z
      .looseObject({
        maxInputTokens: z.number(),
        maxHistoryMessages: z.number().optional(),
        reserveOutputTokens: z.number().optional(),
        targetRatio: z.number().optional(),
      })
      .optional(),
    model: z.string().optional(),
    systemPrompt: z.string().optional(),
    userProfile: z.string().optional(),
    variables: z.record(z.string(), z.string()).optional(),
    reply: z.enum(replyKinds).optional(),
    replyPrompt: z.string().optional(),
    seed: z.string().optional(),
    fixedDraw: z.number().optional(),
    now: z.string().optional(),
    runtimeInit: object.optional(),
    hints: object.optional(),
    leafId: z.string().optional(),
  });
});

/** A session file comes from outside, and so does what its records say; throws with every problem when it cannot be used. */
function checkRecordedInputs({ inputs: recorded }: OpenedRecord, recordId: string): void {
  const path = `${recordId}.inputs`;
  const result = inputsSchema.safeParse(recorded);
  if (!result.success) throwOnErrors(problemsOf(result.error.issues, "SessionInvalid", path));
  try {
    if (recorded.preset !== undefined) parsePreset(recorded.preset);
    if (recorded.tools !== undefined) parseTools(recorded.tools);
  } catch (cause) {
    if (!(cause instanceof GalleyError)) throw cause;
    const { hint, problems } = cause;
    const where = cause.path === undefined || cause.path === "" ? path : `${path}: ${cause.path}`;
    const message = `The build ${recordId} holds what cannot be built: ${cause.message}`;
    throw new GalleyError("SessionInvalid", message, { path: where, hint, problems, cause });
  }
}
