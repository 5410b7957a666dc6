import { fileURLToPath } from "node:url";
import { AcpConnectionManager } from "../../agents/acp-connection-manager.ts";
import { AgentManager, type AgentManagerOptions } from "../../agents/agent-manager.ts";
import { metaOf } from "../../config/config-schema.ts";
import type { Galley } from "../../galley/galley.ts";
import { toolOf } from "../../config/providers/tool-definition.ts";
import { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import { type TimeLimits, defaultLimits } from "../../config/time-limits.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { type LocalServer, localServer } from "../http/local-server.ts";
import { ToolHost } from "../tools/tool-host.ts";
import { toolRoutes } from "../rpc/tool-routes.ts";

/** The agents of a project, and what their sessions get. */
export interface AgentHostOptions extends Pick<
  AgentManagerOptions,
  "agents" | "folder" | "dataFolder" | "tempFolder" | "injectorFor" | "ask" | "restart" | "chatOf"
> {
  /** Knows what must not be seen; one of its own if absent. */
  readonly redactor?: Redactor;
  readonly eventBus?: HookEventBus;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Those of the configuration; the defaults for what is absent. */
  readonly limits?: Partial<TimeLimits>;
  /** Where a server that is there already will serve `toolHost`; without it one of its own is opened. */
  readonly mcpUrl?: string;
}

/** Agents, their tools, and the server where agents reach them. */
export interface AgentHost {
  readonly manager: AgentManager;
  readonly toolHost: ToolHost;
  readonly eventBus: HookEventBus;
  readonly tokenStore: SessionTokenStore;
  readonly redactor: Redactor;
  /** Of the MCP server. */
  readonly mcpUrl: string;
  close(): Promise<void>;
}

const launcher = fileURLToPath(new URL("../../../bin/galley.js", import.meta.url));

/** Opens everything that agents need to run, on a free port that only this machine can reach. */
export async function openAgentHost(options: AgentHostOptions): Promise<AgentHost> {
  const { agents, environment = process.env, redactor = new Redactor() } = options;
  const { eventBus = new HookEventBus({ redact: redactor.redact }) } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const tokenStore = new SessionTokenStore({ timeToLiveMs: limits.agentTokenMs });
  redactor.watch(tokenStore);
  const agentMeta = (name: string) => {
    const agent = agents().find((candidate) => candidate.name === name);
    return agent && metaOf(agent);
  };
  const toolHost = new ToolHost({ tokenStore, eventBus, agentMeta });
  const server = options.mcpUrl === undefined ? await ownServer(toolHost, redactor) : undefined;
  const mcpUrl = server?.mcpUrl ?? options.mcpUrl ?? "";
  const manager = new AgentManager({
    ...options,
    limits,
    environment,
    tokenStore,
    eventBus,
    redactor,
    connections: new AcpConnectionManager(),
    gateway: {
      url: mcpUrl,
      bridge: [process.execPath, launcher, "mcp"],
      grant: (sessionId, tools) => toolHost.grant(sessionId, tools.map(toolOf)),
      whenListed: (sessionId, milliseconds) => toolHost.whenListed(sessionId, milliseconds),
      forget: (sessionId) => toolHost.forget(sessionId),
    },
  });
  const close = async (): Promise<void> => {
    await manager.close();
    await server?.close();
  };
  return { manager, toolHost, eventBus, tokenStore, redactor, mcpUrl, close };
}

/** The same for the agents of a data folder that is open. */
export function openGalleyAgents(galley: Galley, more: Partial<AgentHostOptions> = {}): Promise<AgentHost> {
  const { agents, data, redactor, hooks, limits } = galley;
  return openAgentHost({
    agents: () => agents.list().map(({ agent }) => agent),
    folder: agents.folder,
    dataFolder: data,
    redactor,
    eventBus: hooks,
    limits,
    injectorFor: (agent) => galley.injectorFor(agent),
    chatOf: (name) => galley.agentChat(name),
    ...more,
  });
}

async function ownServer(
  toolHost: ToolHost,
  { redact }: Redactor,
): Promise<{ readonly mcpUrl: string; close(): Promise<void> }> {
  const routes = toolRoutes(toolHost, { redact });
  const server: LocalServer = await localServer(routes.app.fetch);
  return {
    mcpUrl: `${server.url}/mcp`,
    async close() {
      await routes.close();
      await server.close();
    },
  };
}
