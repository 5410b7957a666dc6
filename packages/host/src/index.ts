export type { RunEvent, RunResult } from "./api/run-event.ts";
export type { PromptOptions, PromptOutcome } from "./agents/acp-connection.ts";
export { AcpConnectionManager } from "./agents/acp-connection-manager.ts";
export type { ConnectOptions } from "./agents/acp-open-session.ts";
export type { AgentUpdate } from "./agents/acp-prompt.ts";
export {
  AgentManager,
  type AgentManagerOptions,
  type AgentState,
  type AgentStatus,
  type RestartPolicy,
} from "./agents/agent-manager.ts";
export type { AgentSession, ToolGateway } from "./agents/agent-session.ts";
export type {
  RegenerateOptions,
  GalleyRun,
  GalleyRuns,
  GalleyTurn,
  RunLimits,
  RunRequest,
  TurnBuilt,
  TurnPlace,
  TurnRequest,
} from "./turn/services/turn-types.ts";
export type { ChatItem, ChatSettings, GalleyChats, GalleyHandover } from "./turn/services/galley-ports.ts";
export type { Galley, OpenGalleyOptions } from "./galley/galley.ts";
export type { GalleyEvent, GalleyEventType, GalleyEvents } from "./turn/services/galley-events.ts";
export { openGalley } from "./galley/open-galley.ts";
export type { SavedPreset } from "./presets/preset-files.ts";
export type { PresetItem, PresetLibrary, PresetVersion, SavePreset } from "./presets/preset-library.ts";
export { type LlmCompactorOptions, llmCompactor } from "./models/compactor/llm-compactor.ts";
export { type DemoModelOptions, demoModel } from "./models/demo-model.ts";
export type { CheckOptions, ModelKind, ModelStatus, Models, ResolvedModel, ServerAnswer } from "./models/models.ts";
export { type OpenModelsOptions, openModels } from "./models/open-models.ts";
export { type AskedModel, isOverflow, readModelError } from "./models/read-model-error.ts";
export type { AskPermission, PermissionPolicy, PermissionRequest } from "./agents/permission-policy.ts";
export { timeLimitedCompactor } from "./models/compactor/time-limited-compactor.ts";
export type { Archive } from "./chat/contexts/archive-file.ts";
export type { ArchiveItem } from "./chat/contexts/archive-index.ts";
export type { Chat } from "./chat/chat.ts";
export type {
  ChatOptions,
  FoundContext,
  ListResult,
  LoadInput,
  LoadResult,
  LoadedContext,
  NewResult,
} from "./chat/contexts/context-types.ts";
export { type ChatMessage, type RecallMode, messageId } from "./chat/lines/chat-line.ts";
export { type ChatRun, beginRun } from "./chat/chat-run.ts";
export { contextTools } from "./chat/context-tools.ts";
export { type ChatHealth, doctor } from "./chat/doctor/doctor.ts";
export { openChat } from "./chat/open-chat.ts";
export type { Removal } from "./disk/store-files.ts";
export type { Window, WindowLimits } from "./chat/lines/read-window.ts";
export type { AgentHost, AgentHostOptions } from "./daemon/agents/agent-host.ts";
export type { Daemon, DaemonOptions } from "./daemon/open-daemon.ts";
export type { LocalServer } from "./daemon/http/local-server.ts";
export { ToolHost, type ToolHostOptions } from "./daemon/tools/tool-host.ts";
export type { CallSource, ToolSession } from "./daemon/tools/tool-session.ts";
export type { ToolRoutes, ToolRoutesOptions } from "./daemon/rpc/tool-routes.ts";
export { localServer, main, openAgentHost, openDaemon, toolRoutes } from "./on-demand.ts";
export type { AgentInstanceMeta, Archetype } from "./config/providers/agent-meta.ts";
export { CanvasContextProvider } from "./inject/canvas/canvas-context-provider.ts";
export type { ContextProvider } from "./config/providers/context-provider.ts";
export { CoreContextProvider } from "./inject/providers/core-context-provider.ts";
export { type HookEvent, HookEventBus, type HookListener } from "./inject/session/hook-event-bus.ts";
export type { AcpMcpServer, AcpMcpServerHttp, AcpMcpServerStdio } from "./config/providers/mcp-server.ts";
export { Redactor } from "./secrets/redactor.ts";
export type { HiddenItem, ProviderState, SessionContext } from "./inject/session/session-context.ts";
export { SessionContextInjector } from "./inject/session-context-injector.ts";
export { type SessionToken, SessionTokenStore } from "./inject/session/session-token-store.ts";
export { loadTemplate, renderTemplate } from "./inject/session/templates.ts";
export { type ActantToolDefinition, definitionOf } from "./config/providers/tool-definition.ts";
export { defineTool } from "./tools/define-tool.ts";
export { runTool } from "./tools/run-tool.ts";
export { specOf } from "./tools/tool-specs.ts";
export type { Tool, ToolContent, ToolContext, ToolOutcome, ToolScope } from "./tools/tool.ts";
export type { PlaceTools } from "./turn/tools/tools-for.ts";
export type { TokenDelivery } from "./inject/session/tool-instructions.ts";
export {
  type AgentDeclaration,
  type GalleyConfig,
  type LoadedConfig,
  agentNamed,
  defineConfig,
  loadConfig,
} from "./config/load-config.ts";
export { canvasDocument, canvasHeaders } from "./inject/canvas/canvas-document.ts";
export { type Canvas, type CanvasStore, canvasStore } from "./inject/canvas/canvas-store.ts";
export { agentEnvironment, agentInjector, agentProviders } from "./inject/agent-injector.ts";
export { McpConfigProvider } from "./inject/providers/mcp-config-provider.ts";
export { RulesContextProvider } from "./inject/providers/rules-context-provider.ts";
export { SkillsContextProvider } from "./inject/providers/skills-context-provider.ts";
export type {
  BuildFacts,
  BuildItem,
  BuildStore,
  BuildUsage,
  BuildWindow,
  BuiltSession,
  NewBuild,
  StoredBuild,
} from "./store/ports/build-store.ts";
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
} from "./store/ports/run-store.ts";
export { checkStore } from "./store/check-store.ts";
export { type StoreOptions, openStore } from "./store/open-store.ts";
export type { Store } from "./store/ports/ports.ts";
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
} from "./store/ports/card-store.ts";
export type { SessionAppend, SessionRef, SessionStore, SessionWindow } from "./store/ports/session-store.ts";
export type {
  Agent,
  Batch,
  BatchStatus,
  Claim,
  FinishedTask,
  Hold,
  NewAgent,
  NewBatch,
  NewTask,
  Outcome,
  Output,
  StartTasks,
  StartedTasks,
  Swept,
  Task,
  TaskError,
  TaskFilter,
  TaskStatus,
  TaskStore,
} from "./store/ports/task-store.ts";
export type { ConsumeOptions, Consumer, Delivery, TaskQueue } from "./store/ports/task-queue.ts";
export type { CardRow } from "./handover/work/card-rows.ts";
export { type CardStamp, cardsOfMessages } from "./handover/cards/cards-of-messages.ts";
export { type CommandOptions, sendToCommand } from "./turn/call/send-to-command.ts";
export { askExpert, delegateAsync, launchPrincipal } from "./handover/plan/delegate.ts";
export { forkJoin } from "./handover/plan/fork-join.ts";
export type { Delegated, ForkResult, TaskResult } from "./handover/plan/results.ts";
export type { HandoverConfig } from "./handover/options/handover-config.ts";
export type { Caller } from "./handover/options/caller.ts";
export {
  type Handover,
  type HandoverLimits,
  type HandoverOptions,
  openHandover,
} from "./handover/options/handover-options.ts";
export { type CallerOf, handoverTools } from "./handover/plan/handover-tools.ts";
export { type JoinResult, join } from "./handover/plan/join.ts";
export { type CardMessage, messagesOfCards } from "./handover/cards/messages-of-cards.ts";
export {
  type InstructionRequest,
  type PackOptions,
  type PackRequest,
  type PackedContext,
  packContext,
  packContextWithInstruction,
} from "./handover/pack/pack-context.ts";
export type { TaskModel, TaskTurns } from "./turn/run/execute-task.ts";
export { type TaskNode, readTaskTree } from "./handover/plan/task-tree.ts";
export { type Worker, type WorkerEvent, type WorkerOptions, startWorker } from "./turn/run/worker.ts";
