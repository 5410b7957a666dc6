import type { AgentInstanceMeta } from "./agent-meta.ts";
import type { AcpMcpServer } from "./acp-mcp-server.ts";
import type { ActantToolDefinition } from "./tool-definition.ts";

/** Gives new sessions what one part of the system has for them. Every method is optional and may be async. */
export interface ContextProvider {
  readonly name: string;
  /** A session without this provider is worth nothing: when it fails, so does `prepare` [I4]. */
  readonly required?: boolean;
  /** How long it may take in all, in milliseconds; the injector's own limit if absent. */
  readonly timeLimitMs?: number;
  getMcpServers?(
    agentName: string,
    meta: AgentInstanceMeta,
  ): readonly AcpMcpServer[] | Promise<readonly AcpMcpServer[]>;
  getTools?(
    agentName: string,
    meta: AgentInstanceMeta,
  ): readonly ActantToolDefinition[] | Promise<readonly ActantToolDefinition[]>;
  getSystemContext?(agentName: string, meta: AgentInstanceMeta): string | undefined | Promise<string | undefined>;
}
