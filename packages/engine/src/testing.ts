export { simplePreset, strategy } from "./compose/testing/preset.ts";
export { compactorContract } from "./fit/testing/compactor-contract.ts";
export { spoilBytes } from "./model/testing/fuzz-bytes.ts";
export { type Chance, type FuzzRounds, fuzz, fuzzSeed, roundsOf } from "./model/testing/fuzz-chance.ts";
export { spoilJson } from "./model/testing/fuzz-json.ts";
export { macroText, oddText } from "./model/testing/fuzz-texts.ts";
export { claudeLog, codexLog, opencodeLog, copilotLog, geminiLog, piLog } from "./exchange/testing/log-fixtures.ts";
