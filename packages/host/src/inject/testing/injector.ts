import type { AgentInstanceMeta, Archetype } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import type { AcpMcpServerStdio } from "../../config/providers/acp-mcp-server.ts";
import { SessionContextInjector } from "../session-context-injector.ts";
import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";

export function metaOf(archetype: Archetype = "employee"): AgentInstanceMeta {
  return {
    name: "mara",
    archetype,
    backendType: "claude-code",
    workspacePolicy: "persistent",
    launchMode: "managed",
  };
}

export function tool(name: string, more: Partial<ActantToolDefinition> = {}): ActantToolDefinition {
  const parameters = { type: "object", properties: {} };
  return { name, description: `does ${name}`, parameters, rpcMethod: `x.${name}`, scope: "all", ...more };
}

export function server(name: string, command = "run"): AcpMcpServerStdio {
  return { name, command, args: [] };
}

export function injectorWith(...providers: readonly ContextProvider[]): SessionContextInjector {
  const injector = new SessionContextInjector({ timeLimitMs: 5000 });
  for (const provider of providers) injector.register(provider);
  return injector;
}

/** A provider that gives system text only. */
export const text = (name: string, content: string): ContextProvider => ({ name, getSystemContext: () => content });
