// What most programs that import the library never use: each part is loaded when it is called for the first time.
import type { Terminal } from "./cli/terminal/terminal.ts";
import type { AgentHost, AgentHostOptions } from "./daemon/agents/agent-host.ts";
import type { LocalServer, LocalServerOptions } from "./daemon/http/local-server.ts";
import type { Daemon, DaemonOptions } from "./daemon/open-daemon.ts";
import type { TokenCheck, ToolRoutes, ToolRoutesOptions } from "./daemon/rpc/tool-routes.ts";

/** Runs the command; gives the exit code: 0, 1 for an error, 2 for a wrong call, 128 and the signal's number where one ended it. */
export async function main(args: readonly string[], terminal?: Terminal): Promise<number> {
  return (await import("./cli/main.ts")).main(args, terminal);
}

/** Opens a data folder for this machine: REST, JSON-RPC, MCP, events and Studio at one address. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  return (await import("./daemon/open-daemon.ts")).openDaemon(options);
}

/** Opens everything that agents need to run, on a free port that only this machine can reach. */
export async function openAgentHost(options: AgentHostOptions): Promise<AgentHost> {
  return (await import("./daemon/agents/agent-host.ts")).openAgentHost(options);
}

/** Serves an app on the loopback interface; on a free port unless one is named. */
export async function localServer(
  fetch: (request: Request) => Response | Promise<Response>,
  port?: number,
  options?: LocalServerOptions,
): Promise<LocalServer> {
  return (await import("./daemon/http/local-server.ts")).localServer(fetch, port, options);
}

/** The tools over HTTP: MCP, JSON-RPC and a plain list. Everything needs a session token. */
export async function toolRoutes(host: TokenCheck, options?: ToolRoutesOptions): Promise<ToolRoutes> {
  return (await import("./daemon/rpc/tool-routes.ts")).toolRoutes(host, options);
}
