import "./disk/runtime/refuse-old-node.ts";
export type { RunEvent, RunResult } from "./api/run-event.ts";
export { beginRun, type ChatRun } from "./chat/chat-run.ts";
export { contextTools } from "./chat/context-tools.ts";
export type { Chat } from "./chat/chat.ts";
export type { Archive } from "./chat/contexts/archive-file.ts";
export type { ArchiveItem } from "./chat/contexts/archive-index.ts";
export type {
  ChatOptions,
  FoundContext,
  ListResult,
  LoadedContext,
  LoadInput,
  LoadResult,
  NewResult,
} from "./chat/contexts/context-types.ts";
export { type ChatHealth, doctor } from "./chat/doctor/doctor.ts";
export { type ChatMessage, messageId, type RecallMode } from "./chat/lines/chat-line.ts";
export type { Window, WindowLimits } from "./chat/lines/read-window.ts";
export { openChat } from "./chat/open-chat.ts";
export {
  type AgentDeclaration,
  agentNamed,
  defineConfig,
  type GalleyConfig,
  loadConfig,
  type LoadedConfig,
} from "./config/load-config.ts";
export type { ContextSettings, SettingInForce, SettingSource } from "./config/settings-in-force.ts";
export type { Removal } from "./disk/store-files.ts";
export type { Galley, OpenGalleyOptions } from "./galley/galley.ts";
export { openGalley } from "./galley/open-galley.ts";
export { llmCompactor, type LlmCompactorOptions, timeLimitedCompactor } from "./models/compactor/llm-compactor.ts";
export { demoModel, type DemoModelOptions } from "./models/demo-model.ts";
export type { CheckOptions, ModelKind, Models, ModelStatus, ResolvedModel, ServerAnswer } from "./models/models.ts";
export { openModels, type OpenModelsOptions } from "./models/open-models.ts";
export { type AskedModel, isOverflow, readModelError } from "./models/read-model-error.ts";
export type { SavedPreset } from "./presets/preset-files.ts";
export type { PresetItem, PresetLibrary, PresetVersion, SavePreset } from "./presets/preset-library.ts";
export { Redactor } from "./secrets/redactor.ts";
export { defineTool } from "./tools/define-tool.ts";
export { runTool } from "./tools/run-tool.ts";
export { specOf } from "./tools/tool-specs.ts";
export type { Tool, ToolContent, ToolContext, ToolOutcome, ToolScope } from "./tools/tool.ts";
export type { GalleyEvent, GalleyEvents, GalleyEventType } from "./turn/services/galley-events.ts";
export type {
  ChatChanges,
  ChatItem,
  ChatSettings,
  GalleyChats,
  GalleyHandover,
  GalleySessions,
  SessionChanges,
  SessionSummary,
} from "./turn/services/galley-ports.ts";
export type {
  GalleyRun,
  GalleyRuns,
  GalleyTurn,
  ModelObject,
  TurnCall,
  TurnOutcome,
  TurnToolCall,
  TurnUsage,
  RegenerateOptions,
  RunLimits,
  RunRequest,
  TurnBuilt,
  TurnPlace,
  TurnRequest,
} from "./turn/services/turn-types.ts";
export type { SettingsAnswer, SettingsQuestion } from "./turn/call/preview-settings.ts";
export type { PlaceTools } from "./turn/tools/tools-for.ts";
