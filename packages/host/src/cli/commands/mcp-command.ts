import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import type { Command } from "commander";
import { urlVariable } from "../../agents/agent-session.ts";
import { ownerSession } from "../../daemon/tools/owner-session.ts";
import { projectInjector, projectTools } from "../../daemon/tools/project-tools.ts";
import { ToolHost } from "../../daemon/tools/tool-host.ts";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import { metaOf } from "../../config/config-schema.ts";
import { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import { agentNamed, loadConfig } from "../../config/load-config.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { tokenVariable } from "../../inject/session/tool-instructions.ts";
import { type AgentFlags, addAgentFlags } from "../input/agent-flags.ts";

interface McpFlags extends AgentFlags {
  readonly agent?: string;
}

const description = `Serves the tools as an MCP server over standard input and output, for programs that start MCP servers themselves.
Inside a session that Galley runs (${tokenVariable} and ${urlVariable} are set) they are the tools of that session. Anywhere else they are those of the data folder, for an agent of the configuration or for you.`;

/** `galley mcp`: the tools as an MCP server on standard streams. Standard output belongs to the protocol. */
export function defineMcp(command: Command): void {
  addAgentFlags(command.description(description))
    .option("--agent <name>", "serve what this agent of the configuration may use")
    .option("--json", "the output is JSON in any case")
    .action(async (flags: McpFlags) => {
      const { [tokenVariable]: token, [urlVariable]: url } = process.env;
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const served = token !== undefined && url !== undefined ? await bridge(url, token) : await local(flags);
      const ended = new Promise((done) => process.stdin.once("close", done));
      const handle = serveStdio(served.factory);
      await ended;
      await handle.close();
      await served.close();
    });
}

interface Served {
  readonly factory: McpServerFactory;
  close(): Promise<void>;
}

async function bridge(url: string, token: string): Promise<Served> {
  const { connectToHost, mcpBridge } = await import("../../daemon/mcp/mcp-bridge.ts");
  const host = await connectToHost(url, token);
  return { factory: () => mcpBridge(host), close: () => host.close() };
}

async function local({ agent: name, config, data }: McpFlags): Promise<Served> {
  const { mcpServer } = await import("../../daemon/mcp/mcp-server.ts");
  const loaded = name === undefined ? undefined : await loadConfig(config);
  const agent = loaded && name !== undefined ? agentNamed(loaded, name) : undefined;
  const redactor = new Redactor();
  const eventBus = new HookEventBus({ redact: redactor.redact });
  const dataFolder = resolve(data);
  const tools = await projectTools({ dataFolder, eventBus, redactor, ...(loaded ? { config: loaded } : {}) });
  if (!loaded || !agent) {
    const session = ownerSession({ token: "", tools });
    return { factory: () => mcpServer(session), close: async () => undefined };
  }
  const meta = metaOf(agent);
  const tokenStore = new SessionTokenStore();
  redactor.watch(tokenStore);
  const agentMeta = (agentName: string): AgentInstanceMeta | undefined => (agentName === meta.name ? meta : undefined);
  const host = new ToolHost({ tools, tokenStore, eventBus, agentMeta });
  const sessionId = randomUUID();
  // The same as a session that Galley runs would get: what the providers leave out is not there.
  const context = await projectInjector(loaded, agent, tools, redactor).prepare(agent.name, meta, sessionId);
  host.grant(
    sessionId,
    context.tools.map((tool) => tool.name),
  );
  const token = tokenStore.generate(meta.name, sessionId);
  return { factory: () => mcpServer(host.open(token, "stdio")), close: async () => tokenStore.revoke(token) };
}
