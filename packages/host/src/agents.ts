// Agents over ACP: their processes, connections and permissions.
export { AcpConnectionManager } from "./agents/acp-connection-manager.ts";
export type { PromptOptions, PromptOutcome } from "./agents/acp-connection.ts";
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
export type { AskPermission, PermissionPolicy, PermissionRequest } from "./agents/permission-policy.ts";
