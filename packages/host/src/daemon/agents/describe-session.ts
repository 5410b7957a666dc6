import type { RouteReply } from "../../api/index.ts";
import { type AcpMcpServer, isHttpServer } from "../../config/providers/mcp-server.ts";
import type { SessionContext } from "../../inject/session/session-context.ts";

type SessionParts = Pick<RouteReply<"agents.get">, "providers" | "mcpServers" | "tools" | "hidden">;

/** What a session gets, as a page shows it: no values of headers, arguments or variables. */
export function describeSession(context: SessionContext): SessionParts {
  return {
    providers: context.providers.map((provider) => {
      if (provider.status === "unavailable") return { ...provider, mcpServers: [], tools: [] };
      const { name, status, mcpServers, tools, systemContext } = provider;
      const text = systemContext === undefined ? undefined : context.systemContextAdditions[systemContext];
      return {
        name,
        status,
        mcpServers: [...mcpServers],
        tools: [...tools],
        ...(text === undefined ? {} : { systemContext: text }),
      };
    }),
    mcpServers: context.mcpServers.map(describeServer),
    tools: context.tools.map(({ name, description, scope }) => ({ name, description, scope })),
    hidden: context.hidden.map(({ kind, name, provider, reason }) => ({ kind, name, provider, reason })),
  };
}

function describeServer(server: AcpMcpServer): SessionParts["mcpServers"][number] {
  if (!isHttpServer(server)) return { name: server.name, kind: "stdio", target: server.command };
  // An address may carry a key, before its host or behind its question mark.
  const target = server.url.replace(/[?#].*$/s, "").replace(/^(\w+:\/\/)[^/]*@/, "$1");
  return { name: server.name, kind: "http", target };
}
