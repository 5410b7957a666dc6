// Agents over ACP: their processes, connections and permissions.
import "./disk/runtime/refuse-old-node.ts";
export { AcpConnectionManager } from "./agents/acp-connection-manager.ts";
export type { PromptOptions, PromptOutcome } from "./agents/acp-connection.ts";
export type { ConnectOptions } from "./agents/acp-open-session.ts";
export type { AgentUpdate } from "./agents/acp-prompt.ts";
export { AgentManager, type AgentManagerOptions, type AgentStatus } from "./agents/agent-manager.ts";
export type { AgentState, RestartPolicy } from "./agents/agent-life.ts";
export type { ToolGateway } from "./agents/agent-runtime.ts";
export type { AgentSession } from "./agents/agent-session.ts";
export type { AskPermission, PermissionPolicy, PermissionRequest } from "./agents/permission-policy.ts";
