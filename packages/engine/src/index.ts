export { canonicalJson } from "./model/canonical-json.ts";
export type {
  CompactionEntry,
  CustomEntry,
  InjectionEntry,
  MessageEntry,
  RedactEntry,
  RuntimeInitEntry,
  SessionEntry,
} from "./model/entries.ts";
export { deriveEntryId } from "./model/entry-ids.ts";
export { entrySchemaFor, sessionEntrySchema } from "./model/entry-schema.ts";
export { type ErrorCode, type Problem, GalleyError, errorCatalogue, throwOnErrors } from "./model/errors.ts";
export { groupFinder, groupStarts } from "./model/groups.ts";
export { type Fate, type LedgerRow, type Place, type Rule, provenance } from "./model/ledger.ts";
export { messageSchema, toolSpecSchema } from "./model/message-schema.ts";
export type {
  AssistantMessage,
  AssistantPart,
  CustomPart,
  DataContent,
  FileData,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  MessagePart,
  MessageRole,
  ModelMessage,
  ProviderOptions,
  ProviderReference,
  ReasoningFilePart,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolApprovalRequest,
  ToolApprovalResponse,
  ToolCallPart,
  ToolMessage,
  ToolPart,
  ToolResultContent,
  ToolResultOutput,
  ToolResultPart,
  ToolSpec,
  UserMessage,
  UserPart,
} from "./model/messages.ts";
export { parseJson } from "./model/parse-json.ts";
export { parseTools } from "./model/parse-tools.ts";
export { type ParsedSession, formatSession, parseSession } from "./model/session-file.ts";
export { type AppendedSession, appendEntries, newEntries } from "./model/session-log.ts";
export { type Language, textLanguage } from "./model/text-language.ts";
export { problemsOf } from "./model/zod-problems.ts";
export { type TokenAccount, type TokenFigure, tokenAccount } from "./tokens/account.ts";
export {
  type Calibration,
  type ModelCalibration,
  type Observation,
  calibrate,
  noCalibration,
  reportedInputTokens,
} from "./tokens/catalogue/calibration.ts";
export { loadTokenizer } from "./tokens/counters/load-tokenizer.ts";
export type { ExactEncoding } from "./tokens/counters/tokenizer.ts";
export type { MediaRule } from "./tokens/media/count-media.ts";
export { loadModels, modelCatalogue } from "./tokens/catalogue/model-catalogue.ts";
export type {
  ModelCatalogue,
  ModelData,
  ModelInfo,
  ModelOverrides,
  ModelPrice,
  ModelRow,
} from "./tokens/catalogue/model-info.ts";
export { parseModelOverrides } from "./tokens/catalogue/parse-model-overrides.ts";
export type { Exactness, Tokenizer } from "./tokens/counters/tokenizer.ts";
export type { TokenizerFamily } from "./tokens/catalogue/tokenizer-family.ts";
export type { EstimatedFamily } from "./tokens/counters/tokenizer.ts";
export { type ModelTokenizerOptions, tokenizerForModel } from "./tokens/catalogue/tokenizer-for-model.ts";
export { getAvailableAnchors } from "./compose/preset/anchors.ts";
export { checkPreset } from "./compose/preset/check-preset.ts";
export { type ComposeInput, type Composition, composePreset } from "./compose/compose-preset.ts";
export { type ParsedPreset, parsePreset } from "./compose/preset/parse-preset.ts";
export type {
  ChatMessageNode,
  ChatMessageRole,
  ContextRecipe,
  InjectionStrategy,
  MessageTemplate,
  PostProcessing,
  Preset,
  RecipeStep,
} from "./compose/preset/preset.ts";
export { isAdvanced } from "./compose/preset/preset.ts";
export { presetSchema } from "./compose/preset/preset-schema.ts";
export { type RecipeMatch, selectRecipe } from "./compose/preset/select-recipe.ts";
export { applySimpleEdit, toAdvanced, toSimple } from "./compose/preset/simple-mode.ts";
export type { CompactionRequest, Compactor } from "./fit/compactor/compactor.ts";
export { extractiveCompactor } from "./fit/compactor/extractive-compactor.ts";
export { type SessionView, type ViewOptions, view } from "./fit/log/view.ts";
export { build } from "./fit/build.ts";
export type { Build, BuildStats } from "./fit/types.ts";
export type { BuildRequest } from "./fit/window/build-request.ts";
export {
  type ContextBuildInput,
  type ContextBuildResult,
  ContextManager,
  type ContextManagerInit,
  type ContextUpdateRequest,
  type ContextUpdateResult,
  type RuntimeHintProvider,
} from "./fit/context-manager.ts";
export type { Decision } from "./fit/rungs/decide.ts";
export { type InputMessage, inputEntries } from "./fit/log/input-entries.ts";
export type { ContextConfig } from "./fit/rungs/limits.ts";
export { type Plan, plan } from "./fit/plan.ts";
export { redactMessage } from "./fit/log/redact-message.ts";
export { undoCompaction } from "./fit/log/undo-compaction.ts";
export { type WireProvider, type WireRequests, exportFor, wireProviders } from "./wire/export-for.ts";
export type { WireExport, WireInput, WireNote, WireNoteCode } from "./wire/shared/wire-input.ts";
export { toOpenAiChat } from "./wire/openai-chat/export.ts";
export { toOpenAiResponses } from "./wire/openai-responses/export.ts";
export { toAnthropic } from "./wire/anthropic/export.ts";
export { toGemini } from "./wire/gemini/export.ts";
export { toAiSdk } from "./wire/ai-sdk/export.ts";
export { validateOpenAiChat } from "./wire/openai-chat/validate.ts";
export { validateOpenAiResponses } from "./wire/openai-responses/validate.ts";
export { validateAnthropic } from "./wire/anthropic/validate.ts";
export { validateGemini } from "./wire/gemini/validate.ts";
export { validateAiSdk } from "./wire/ai-sdk/validate.ts";
export type { OpenAiChatRequest } from "./wire/openai-chat/types.ts";
export type { OpenAiResponsesRequest } from "./wire/openai-responses/types.ts";
export type { AnthropicRequest } from "./wire/anthropic/types.ts";
export type { GeminiRequest } from "./wire/gemini/types.ts";
export type { AiSdkRequest } from "./wire/ai-sdk/types.ts";
export { type Secrets, redactSecrets, redactText, minSecretLength } from "./model/secrets.ts";
export { type BuildRecord, isBuildRecord, recordBuild } from "./proof/build-record.ts";
export { type BuildDiff, type DiffPair, diff } from "./proof/diff.ts";
export { type DigestOptions, type Digestible, digestItem, digestOf } from "./proof/digest.ts";
export { type ReplayedBuild, replay } from "./proof/replay.ts";
export { type TokenSource, rowSource, tokenSources, tokensBySource } from "./proof/token-sources.ts";
export { type ImportNote, type ImportReport, importReport } from "./exchange/files/import-report.ts";
export { type TavernImport, type TavernImportOptions, importTavern } from "./exchange/sillytavern/import-tavern.ts";
export type { Activation, EntryName } from "./exchange/sillytavern/place-entries.ts";
export { type ReadTavernOptions, readTavernFile } from "./exchange/sillytavern/read-tavern-file.ts";
export { type TavernFile, type TavernKind, tavernKinds } from "./exchange/sillytavern/tavern-files.ts";
export { type TavernExport, exportTavern } from "./exchange/sillytavern/export-tavern.ts";
