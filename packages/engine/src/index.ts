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
} from "./tokens/calibration.ts";
export { loadTokenizer } from "./tokens/load-tokenizer.ts";
export type { ExactEncoding } from "./tokens/tokenizer.ts";
export type { MediaRule } from "./tokens/count-media.ts";
export { loadModels, modelCatalogue } from "./tokens/model-catalogue.ts";
export type {
  ModelCatalogue,
  ModelData,
  ModelInfo,
  ModelOverrides,
  ModelPrice,
  ModelRow,
} from "./tokens/model-info.ts";
export { parseModelOverrides } from "./tokens/parse-model-overrides.ts";
export type { Exactness, Tokenizer } from "./tokens/tokenizer.ts";
export type { TokenizerFamily } from "./tokens/tokenizer-family.ts";
export type { EstimatedFamily } from "./tokens/tokenizer.ts";
export { type ModelTokenizerOptions, tokenizerForModel } from "./tokens/tokenizer-for-model.ts";
export { getAvailableAnchors } from "./compose/anchors.ts";
export { checkPreset } from "./compose/check-preset.ts";
export { type ComposeInput, type Composition, composePreset } from "./compose/compose-preset.ts";
export { type ParsedPreset, parsePreset } from "./compose/parse-preset.ts";
export type {
  ChatMessageNode,
  ChatMessageRole,
  ContextRecipe,
  InjectionStrategy,
  MessageTemplate,
  PostProcessing,
  Preset,
  RecipeStep,
} from "./compose/preset.ts";
export { isAdvanced } from "./compose/preset.ts";
export { presetSchema } from "./compose/preset-schema.ts";
export { type RecipeMatch, selectRecipe } from "./compose/select-recipe.ts";
export { applySimpleEdit, toAdvanced, toSimple } from "./compose/simple-mode.ts";
export type { CompactionRequest, Compactor } from "./fit/compactor.ts";
export { extractiveCompactor } from "./fit/extractive-compactor.ts";
export { type SessionView, type ViewOptions, view } from "./fit/view.ts";
export { build } from "./fit/build.ts";
export type { Build, BuildStats } from "./fit/types.ts";
export type { BuildRequest } from "./fit/build-request.ts";
export {
  type ContextBuildInput,
  type ContextBuildResult,
  ContextManager,
  type ContextManagerInit,
  type ContextUpdateRequest,
  type ContextUpdateResult,
  type RuntimeHintProvider,
} from "./fit/context-manager.ts";
export type { Decision } from "./fit/decide.ts";
export { type InputMessage, inputEntries } from "./fit/input-entries.ts";
export type { ContextConfig } from "./fit/limits.ts";
export { type Plan, plan } from "./fit/plan.ts";
export { redactMessage } from "./fit/redact-message.ts";
export { undoCompaction } from "./fit/undo-compaction.ts";
export { type WireProvider, type WireRequests, exportFor, wireProviders } from "./wire/export-for.ts";
export type { WireExport, WireInput, WireNote, WireNoteCode } from "./wire/wire-input.ts";
export { toOpenAiChat } from "./wire/to-openai-chat.ts";
export { toOpenAiResponses } from "./wire/to-openai-responses.ts";
export { toAnthropic } from "./wire/to-anthropic.ts";
export { toGemini } from "./wire/to-gemini.ts";
export { toAiSdk } from "./wire/to-ai-sdk.ts";
export { validateOpenAiChat } from "./wire/validate-openai-chat.ts";
export { validateOpenAiResponses } from "./wire/validate-openai-responses.ts";
export { validateAnthropic } from "./wire/validate-anthropic.ts";
export { validateGemini } from "./wire/validate-gemini.ts";
export { validateAiSdk } from "./wire/validate-ai-sdk.ts";
export type { OpenAiChatRequest } from "./wire/openai-chat-request.ts";
export type { OpenAiResponsesRequest } from "./wire/openai-responses-request.ts";
export type { AnthropicRequest } from "./wire/anthropic-request.ts";
export type { GeminiRequest } from "./wire/gemini-request.ts";
export type { AiSdkRequest } from "./wire/ai-sdk-request.ts";
export { type Secrets, redactSecrets, redactText, shortestSecret } from "./model/secrets.ts";
export { type BuildRecord, isBuildRecord, recordBuild } from "./proof/build-record.ts";
export { type BuildDiff, type DiffPair, diff } from "./proof/diff.ts";
export { type DigestOptions, type Digestible, digestItem, digestOf } from "./proof/digest.ts";
export { type ReplayedBuild, replay } from "./proof/replay.ts";
export { type TokenSource, rowSource, tokenSources, tokensBySource } from "./proof/token-sources.ts";
export { type ImportNote, type ImportReport, importReport } from "./exchange/import-report.ts";
export { type TavernImport, type TavernImportOptions, importTavern } from "./exchange/import-tavern.ts";
export type { Activation, EntryName } from "./exchange/place-entries.ts";
export { type ReadTavernOptions, readTavernFile } from "./exchange/read-tavern-file.ts";
export { type TavernFile, type TavernKind, tavernKinds } from "./exchange/tavern-files.ts";
export { type TavernExport, exportTavern } from "./exchange/export-tavern.ts";
