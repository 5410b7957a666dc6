// What the session of an agent is told: context providers, tokens, templates and the canvas.
export type { AgentInstanceMeta, Archetype } from "./config/providers/agent-meta.ts";
export type { ContextProvider } from "./config/providers/context-provider.ts";
export type { AcpMcpServer, AcpMcpServerHttp, AcpMcpServerStdio } from "./config/providers/mcp-server.ts";
export { type ActantToolDefinition, definitionOf } from "./config/providers/tool-definition.ts";
export { agentEnvironment, agentInjector, agentProviders } from "./inject/agent-injector.ts";
export { CanvasContextProvider } from "./inject/canvas/canvas-tools.ts";
export { canvasDocument, canvasHeaders } from "./inject/canvas/canvas-document.ts";
export { type Canvas, type CanvasStore, canvasStore } from "./inject/canvas/canvas-store.ts";
export { CoreContextProvider } from "./inject/providers/core-context-provider.ts";
export { McpConfigProvider } from "./inject/providers/mcp-config-provider.ts";
export { RulesContextProvider } from "./inject/providers/rules-context-provider.ts";
export { SkillsContextProvider } from "./inject/providers/skills-context-provider.ts";
export { SessionContextInjector } from "./inject/session-context-injector.ts";
export { type HookEvent, HookEventBus, type HookListener } from "./inject/session/hook-event-bus.ts";
export type { HiddenItem, ProviderState, SessionContext } from "./inject/session/session-context.ts";
export { type SessionToken, SessionTokenStore } from "./inject/session/session-token-store.ts";
export { loadTemplate, renderTemplate } from "./inject/session/templates.ts";
export type { TokenDelivery } from "./inject/session/tool-instructions.ts";
