// One data folder over HTTP, for Studio, agents and other programs of this machine.
import "./disk/runtime/refuse-old-node.ts";
export { type AgentHost, type AgentHostOptions, openAgentHost } from "./daemon/agents/agent-host.ts";
export { localServer, type LocalServer, type LocalServerOptions } from "./daemon/http/local-server.ts";
export { type Daemon, type DaemonOptions, openDaemon } from "./daemon/open-daemon.ts";
export { type ToolRoutes, toolRoutes, type ToolRoutesOptions } from "./daemon/rpc/tool-routes.ts";
export { ToolHost, type ToolHostOptions } from "./daemon/tools/tool-host.ts";
export type { CallSource, ToolSession } from "./daemon/tools/tool-session.ts";
