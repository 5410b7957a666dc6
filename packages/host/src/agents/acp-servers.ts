import type { AgentCapabilities, McpServer } from "@agentclientprotocol/sdk/unstable";
import {
  type AcpMcpServer,
  type AcpMcpServerHttp,
  type AcpMcpServerStdio,
  isHttpServer,
} from "../config/providers/mcp-server.ts";

/** The same server in both of its forms, for agents that know only one of them. */
export interface ToolServer {
  readonly http: AcpMcpServerHttp;
  readonly stdio: AcpMcpServerStdio;
}

export interface SessionServers {
  readonly servers: McpServer[];
  /** Names of those that this agent cannot reach. */
  readonly left: readonly string[];
}

/** The servers as `session/new` wants them, ours first, as far as the agent can reach them. */
export function sessionServers(
  servers: readonly AcpMcpServer[],
  own: ToolServer | undefined,
  { mcpCapabilities }: AgentCapabilities,
): SessionServers {
  const ours = own && (mcpCapabilities?.http ? own.http : own.stdio);
  const all = [...(ours ? [ours] : []), ...servers.filter(({ name }) => name !== ours?.name)];
  const isReachable = (server: AcpMcpServer): boolean =>
    !isHttpServer(server) || mcpCapabilities?.[server.type] === true;
  return {
    servers: all.filter(isReachable).map(wireForm),
    left: all.filter((server) => !isReachable(server)).map(({ name }) => name),
  };
}

/** ACP refuses a stdio server without `args` and `env`. */
function wireForm(server: AcpMcpServer): McpServer {
  if (!isHttpServer(server)) {
    const { name, command, args, env = [] } = server;
    return { name, command, args: [...args], env: [...env] };
  }
  const { type, name, url, headers } = server;
  return { type, name, url, headers: [...headers] };
}
