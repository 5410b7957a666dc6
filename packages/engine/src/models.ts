// What is known about models: windows, prices, how each counts, and what providers have reported.
export {
  type Calibration,
  type ModelCalibration,
  type Observation,
  calibrate,
  noCalibration,
  reportedInputTokens,
} from "./tokens/catalogue/calibration.ts";
export type { MediaRule } from "./tokens/media/count-media.ts";
export { loadModels, modelCatalogue, parseModelOverrides } from "./tokens/catalogue/model-catalogue.ts";
export {
  type ModelCatalogue,
  type ModelData,
  type ModelInfo,
  type ModelOverrides,
  type ModelPrice,
  type ModelRow,
  usualLimit,
} from "./tokens/catalogue/model-info.ts";
export type { TokenizerFamily } from "./tokens/counters/tokenizer-family.ts";
export { type ModelTokenizerOptions, tokenizerForModel } from "./tokens/catalogue/tokenizer-for-model.ts";
