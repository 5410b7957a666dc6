export { canonicalJson } from "./model/canonical-json.ts";
export type { CompactionEntry, MessageEntry, PinEntry, SessionEntry, Tally } from "./model/entries.ts";
export { type ErrorCode, type Problem, GalleyError, errorCatalogue, throwOnErrors } from "./model/check/errors.ts";
export { isMessageEntry } from "./model/message-entry.ts";
export { growList, knownPrefix } from "./model/grown-lists.ts";
export { type LedgerRow, provenance } from "./model/ledger.ts";
export type { AssistantMessage, JsonObject, JsonValue, ModelMessage, ToolSpec, UserMessage } from "./model/messages.ts";
export { parseJson } from "./model/parse-json.ts";
export { parseTools } from "./model/message-schema.ts";
export { type ParsedSession, formatSession, parseSession } from "./model/session-file.ts";
export { type Language, textLanguage } from "./model/text-language.ts";
export { type TokenAccount, tokenAccount } from "./tokens/account.ts";
export { loadTokenizer } from "./tokens/counters/load-tokenizer.ts";
export { loadModels } from "./tokens/catalogue/model-catalogue.ts";
export type { Tokenizer } from "./tokens/counters/tokenizer.ts";
export { tokenizerForModel } from "./tokens/catalogue/tokenizer-for-model.ts";
export { type InheritedFields, getAvailableAnchors, inheritFields, kindOf } from "./compose/preset/preset-items.ts";
export { checkPreset } from "./compose/preset/check-preset.ts";
export { type ComposeInput, type Composition, composePreset } from "./compose/compose-preset.ts";
export { type ParsedPreset, parsePreset } from "./compose/preset/parse-preset.ts";
export {
  type ChatMessageNode,
  type ChatMessageRole,
  type ContextRecipe,
  type InjectionStrategy,
  type MessageTemplate,
  type PostProcessing,
  type Preset,
  type PresetContext,
  type RecipeStep,
  isAdvanced,
} from "./compose/preset/preset.ts";
export {
  type Activation,
  type ActivationCondition,
  type ActivationSettings,
  type BookOwner,
  type CharacterFilter,
  type ReplyKind,
  type TimedEffects,
  replyKinds,
} from "./compose/activation/activation.ts";
export { type RecipeMatch, selectRecipe } from "./compose/preset/select-recipe.ts";
export { toAdvanced, toSimple } from "./compose/preset/simple-mode.ts";
export type { CompactionRequest, Compactor } from "./fit/compactor/compactor.ts";
export { extractiveCompactor } from "./fit/compactor/extractive-compactor.ts";
export { type SessionView, view } from "./fit/log/view.ts";
export type { ViewOptions } from "./fit/log/walk-back.ts";
export { type RecallAnswer, type RecallOptions, type RecallRequest, recall, recallSteps } from "./fit/recall/recall.ts";
export { recallToolName } from "./model/handle.ts";
export { build } from "./fit/build.ts";
export { scanEntries } from "./fit/scan-entries.ts";
export type { Build, BuildStats } from "./fit/types.ts";
export type { BuildRequest } from "./fit/window/build-request.ts";
export {
  type ContextBuildInput,
  type ContextBuildResult,
  type ContextManagerInit,
  type ContextUpdateRequest,
  type ContextUpdateResult,
  type RuntimeHintProvider,
  ContextManager,
} from "./fit/context-manager.ts";
export type { Decision } from "./fit/rungs/decide.ts";
export { type InputMessage, inputEntries } from "./fit/log/input-entries.ts";
export type { ContextConfig } from "./fit/rungs/limits.ts";
export { type Plan, plan } from "./fit/plan.ts";
export {
  type PinOptions,
  type PinRequest,
  type PinnedItem,
  pinEntry,
  pinnedItems,
  unpinEntry,
} from "./fit/log/pin-entries.ts";
export { standingCompactions, undoCompaction } from "./fit/log/undo-compaction.ts";
export { type WireProvider, exportFor, wireProviders } from "./wire/export-for.ts";
export { toOpenAiChat } from "./wire/openai-chat/export.ts";
export { type FitResult, fit, recallFitted } from "./plugs/fit.ts";
export type { FitMemory } from "./plugs/fit-memory.ts";
export type { FitOptions } from "./plugs/fit-options.ts";
export { type Secrets, minSecretLength, redactSecrets, redactText } from "./model/secrets.ts";
export { recordBuild } from "./proof/build-record.ts";
export { digestItem, digestOf } from "./proof/digest.ts";
export { replay } from "./proof/replay.ts";
