export { compactorContract } from "./fit/compactor.test-support.ts";
export { spoilBytes } from "./model/fuzz-bytes.test-support.ts";
export { type Chance, type FuzzRounds, fuzz, fuzzSeed, roundsOf } from "./model/fuzz-chance.test-support.ts";
export { spoilJson } from "./model/fuzz-json.test-support.ts";
export { macroText, oddText } from "./model/fuzz-texts.test-support.ts";
