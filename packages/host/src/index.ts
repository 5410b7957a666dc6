export type { RunEvent, RunResult } from "./api/run-event.ts";
export type { PromptOptions, PromptOutcome } from "./agent/acp-connection.ts";
export { AcpConnectionManager, type ConnectOptions } from "./agent/acp-connection-manager.ts";
export type { AgentUpdate } from "./agent/acp-turn.ts";
export {
  AgentManager,
  type AgentManagerOptions,
  type AgentState,
  type AgentStatus,
  type RestartPolicy,
} from "./agent/agent-manager.ts";
export type { AgentSession, ToolGateway } from "./agent/agent-session.ts";
export type {
  AgainRequest,
  ChatItem,
  ChatSettings,
  Galley,
  GalleyChats,
  GalleyEvent,
  GalleyEventType,
  GalleyEvents,
  GalleyHandover,
  GalleyRun,
  GalleyRuns,
  GalleyTool,
  GalleyTurn,
  OpenGalleyOptions,
  RunLimits,
  RunRequest,
  ToolCallContext,
  TurnBuilt,
  TurnPlace,
  TurnRequest,
} from "./agent/galley.ts";
export { openGalley } from "./agent/open-galley.ts";
export type { PresetItem, PresetLibrary, PresetVersion, SavePreset, SavedPreset } from "./agent/preset-library.ts";
export { type LlmCompactorOptions, llmCompactor } from "./agent/llm-compactor.ts";
export { type DemoModelOptions, demoModel } from "./agent/models/demo-model.ts";
export type {
  CheckOptions,
  ModelKind,
  ModelStatus,
  Models,
  ResolvedModel,
  ServerAnswer,
} from "./agent/models/models.ts";
export { type OpenModelsOptions, openModels } from "./agent/models/open-models.ts";
export { type AskedModel, isOverflow, readModelError } from "./agent/models/read-model-error.ts";
export type { AskPermission, PermissionPolicy, PermissionRequest } from "./agent/permission-policy.ts";
export { timeLimitedCompactor } from "./agent/time-limited-compactor.ts";
export type { Archive } from "./chat/archive-file.ts";
export type { ArchiveItem } from "./chat/archive-index.ts";
export type {
  Chat,
  ChatOptions,
  FoundContext,
  ListResult,
  LoadInput,
  LoadResult,
  LoadedContext,
  NewResult,
} from "./chat/chat.ts";
export { type ChatMessage, type RecallMode, messageId } from "./chat/chat-line.ts";
export { type ChatRun, beginRun } from "./chat/chat-run.ts";
export { type ChatTool, chatToolSpecs, chatTools } from "./chat/chat-tools.ts";
export { type ChatHealth, doctor } from "./chat/doctor.ts";
export { openChat } from "./chat/open-chat.ts";
export type { Window, WindowLimits } from "./chat/read-window.ts";
export { main } from "./cli/main.ts";
export { type AgentHost, type AgentHostOptions, openAgentHost } from "./daemon/agent-host.ts";
export type { HostTool, ToolCallOptions, ToolCaller } from "./daemon/host-tool.ts";
export { type Daemon, type DaemonOptions, openDaemon } from "./daemon/open-daemon.ts";
export { type LocalServer, localServer } from "./daemon/local-server.ts";
export { ToolHost, type ToolHostOptions, type ToolSession } from "./daemon/tool-host.ts";
export { type ToolRoutes, type ToolRoutesOptions, toolRoutes } from "./daemon/tool-routes.ts";
export type { AgentInstanceMeta, Archetype } from "./inject/agent-instance-meta.ts";
export { CanvasContextProvider } from "./inject/canvas-context-provider.ts";
export type { ContextProvider } from "./inject/context-provider.ts";
export { CoreContextProvider } from "./inject/core-context-provider.ts";
export { type HookEvent, HookEventBus, type HookListener } from "./inject/hook-event-bus.ts";
export type { AcpMcpServer, AcpMcpServerHttp, AcpMcpServerStdio } from "./inject/mcp-server.ts";
export { Redactor } from "./inject/redactor.ts";
export type { HiddenItem, ProviderState, SessionContext } from "./inject/session-context.ts";
export { SessionContextInjector } from "./inject/session-context-injector.ts";
export { type SessionToken, SessionTokenStore } from "./inject/session-token-store.ts";
export { loadTemplate, renderTemplate } from "./inject/templates.ts";
export type { ActantToolDefinition, ToolScope } from "./inject/tool-definition.ts";
export type { TokenDelivery } from "./inject/tool-instructions.ts";
export {
  type AgentDeclaration,
  type GalleyConfig,
  type LoadedConfig,
  agentNamed,
  defineConfig,
  loadConfig,
} from "./inject/load-config.ts";
export { canvasDocument, canvasHeaders } from "./inject/canvas-document.ts";
export { type Canvas, type CanvasStore, canvasStore } from "./inject/canvas-store.ts";
export { agentEnvironment, agentInjector, agentProviders } from "./inject/agent-injector.ts";
export { McpConfigProvider } from "./inject/mcp-config-provider.ts";
export { RulesContextProvider } from "./inject/rules-context-provider.ts";
export { SkillsContextProvider } from "./inject/skills-context-provider.ts";
export type {
  BuildFacts,
  BuildItem,
  BuildStore,
  BuildUsage,
  BuildWindow,
  BuiltSession,
  NewBuild,
  StoredBuild,
} from "./store/build-store.ts";
export type {
  NewRun,
  RunError,
  RunFilter,
  RunHold,
  RunItem,
  RunOutcome,
  RunPlace,
  RunProgress,
  RunStatus,
  RunStore,
  StoredRun,
} from "./store/run-store.ts";
export { checkStore } from "./store/check-store.ts";
export { type StoreOptions, openStore } from "./store/open-store.ts";
export type { Store } from "./store/ports.ts";
export type {
  Box,
  BoxAppend,
  BoxItem,
  Card,
  CardContent,
  CardOrigin,
  CardStore,
  HydratedBox,
  NewBox,
  Pack,
  Profile,
} from "./store/card-store.ts";
export type { SessionAppend, SessionRef, SessionStore, SessionWindow } from "./store/session-store.ts";
export type {
  Agent,
  Batch,
  BatchStatus,
  Claim,
  FinishedTurn,
  Hold,
  NewAgent,
  NewBatch,
  NewTurn,
  Outcome,
  Output,
  StartTurns,
  StartedTurns,
  Swept,
  Turn,
  TurnError,
  TurnFilter,
  TurnStatus,
  TurnStore,
} from "./store/turn-store.ts";
export type { ConsumeOptions, Consumer, Delivery, TurnQueue } from "./store/turn-queue.ts";
export { type TurnBuild, type TurnContext, buildTurn } from "./handover/build-turn.ts";
export type { CardRow } from "./handover/card-rows.ts";
export { type CardStamp, cardsOfMessages } from "./handover/cards-of-messages.ts";
export { type CommandTurnOptions, commandTurn } from "./handover/command-turn.ts";
export { type Delegated, askExpert, delegateAsync, launchPrincipal } from "./handover/delegate.ts";
export { type ForkResult, type TaskResult, forkJoin } from "./handover/fork-join.ts";
export type { HandoverConfig } from "./handover/handover-config.ts";
export type { Caller } from "./handover/caller.ts";
export { type Handover, type HandoverOptions, openHandover } from "./handover/handover-options.ts";
export { type HandoverTool, handoverTools, specsOf } from "./handover/handover-tools.ts";
export { type JoinResult, join } from "./handover/join.ts";
export type { HandoverLimits } from "./handover/limits.ts";
export { type CardMessage, messagesOfCards } from "./handover/messages-of-cards.ts";
export {
  type InstructionRequest,
  type PackOptions,
  type PackRequest,
  type PackedContext,
  packContext,
  packContextWithInstruction,
} from "./handover/pack-context.ts";
export { serveCalls } from "./handover/serve-calls.ts";
export type { RunTurn, TurnOutcome, TurnRun } from "./handover/turn-run.ts";
export { type TurnNode, readTurnTree } from "./handover/turn-tree.ts";
export { type Worker, type WorkerEvent, type WorkerOptions, startWorker } from "./handover/worker.ts";
