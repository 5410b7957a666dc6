// Records of builds, compared, built again, and what their tokens went to.
export { type BuildRecord, isBuildRecord, recordBuild } from "./proof/build-record.ts";
export { type BuildDiff, type DiffPair, diff } from "./proof/diff.ts";
export { type DigestOptions, type Digestible, digestItem, digestOf } from "./proof/digest.ts";
export { type ReplayedBuild, replay } from "./proof/replay.ts";
export { type TokenSource, rowSource, tokenSources, tokensBySource } from "./proof/token-sources.ts";
