import { sessionEnvironment, tokenDeliveryOf, toolServer } from "../../agents/agent-session.ts";
import { type AgentDeclaration, metaOf } from "../../config/config-schema.ts";
import type { Galley } from "../../galley/galley.ts";
import { type AcpMcpServer, isHttpServer } from "../../config/providers/acp-mcp-server.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { shownAddress } from "../../secrets/secret-parts.ts";
import { addServerSecrets } from "../../secrets/secret-values.ts";
import type { HiddenItem, SessionContext } from "../../inject/session/session-context.ts";
import { SessionTokenStore } from "../../inject/session/session-token-store.ts";
import type { RouteReply } from "../../api/index.ts";

/** Where our own server will be is known when an agent starts; and who knows no HTTP starts the command instead. */
const gateway = { url: "http://127.0.0.1:PORT/mcp", bridge: ["galley", "mcp"] } as const;

export interface SessionPreview {
  readonly context: SessionContext;
  /** Our own server among those of the context. */
  readonly own?: AcpMcpServer;
}

/** The same steps as those of a start, without the start. */
export async function previewSession(
  galley: Pick<Galley, "injectorFor">,
  agent: AgentDeclaration,
  redactor: Redactor,
): Promise<SessionPreview> {
  const tokens = new SessionTokenStore();
  redactor.watch(tokens);
  sessionEnvironment({ environment: process.env, redactor }, agent);
  const injector = galley.injectorFor(agent, redactor);
  injector.setTokenStore(tokens);
  const tokenDelivery = tokenDeliveryOf(agent, true);
  const options = { tokenDelivery, runnableOnly: true };
  const context = await injector.prepare(agent.name, metaOf(agent), "preview", options);
  addServerSecrets(redactor, context.mcpServers);
  return withOwnServer(context);
}

/** A session that has tools gets our own server before all others, and none beside it of the same name. */
function withOwnServer(context: SessionContext): SessionPreview {
  if (context.tools.length === 0) return { context };
  const { http: own } = toolServer(gateway, context.token);
  const isReplaced = ({ name }: AcpMcpServer): boolean => name === own.name;
  const replaced = context.mcpServers.filter(isReplaced).map(({ name }): HiddenItem => ({
    kind: "server",
    name,
    provider: giverOf(context, "mcpServers", name),
    rule: "name-taken",
    reason: "Galley's own server has this name",
  }));
  const others = context.mcpServers.filter((server) => !isReplaced(server));
  return {
    context: { ...context, mcpServers: [own, ...others], hidden: [...context.hidden, ...replaced] },
    own,
  };
}

/** Which provider gave a server or a tool. */
export function giverOf({ providers }: SessionContext, kind: "mcpServers" | "tools", name: string): string {
  return providers.find((state) => state.status === "ready" && state[kind].includes(name))?.name ?? "";
}

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
        systemContext: text,
      };
    }),
    mcpServers: context.mcpServers.map(describeServer),
    tools: context.tools.map(({ name, description, scope }) => ({ name, description, scope })),
    hidden: context.hidden.map(({ kind, name, provider, reason }) => ({ kind, name, provider, reason })),
  };
}

function describeServer(server: AcpMcpServer): SessionParts["mcpServers"][number] {
  if (!isHttpServer(server)) return { name: server.name, kind: "stdio", target: server.command };
  return { name: server.name, kind: "http", target: shownAddress(server.url) };
}
