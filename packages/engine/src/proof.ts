// Records of builds, compared, built again, put into words, and what their tokens went to.
export { type BuildRecord, isBuildRecord, recordBuild } from "./proof/build-record.ts";
export {
  type DescribeOptions,
  type DescribedBuild,
  type DescribedRow,
  type LedgerLanguage,
  describeLedger,
  describeRow,
} from "./proof/describe-ledger.ts";
export { type BuildDiff, type DiffPair, diff } from "./proof/diff.ts";
export { type DigestOptions, type Digestible, digestItem, digestOf } from "./proof/digest.ts";
export { type ReplayedBuild, replay } from "./proof/replay.ts";
export { type TokenSource, rowSource, tokenSources, tokensBySource } from "./proof/token-sources.ts";
export { type CompactionLoss, type LostName, lostNames, lostNamesSteps } from "./proof/lost.ts";
export { namesIn } from "./model/names.ts";
export {
  type InputOf,
  type Reaches,
  type Retention,
  type RetentionOptions,
  type RetentionShare,
  measureRetention,
} from "./proof/retention.ts";
export { type LogRetention, type LogRetentionOptions, logRetention } from "./proof/log-retention.ts";
export { fittedInputs, loggedInputs, replayedMessages } from "./proof/replayed-inputs.ts";
export { type LoggedCall, loggedBuild, loggedCalls } from "./proof/logged-calls.ts";
export { type ActiveReason, type Fate, type KeyFound, type Place, type Rule } from "./model/ledger.ts";
