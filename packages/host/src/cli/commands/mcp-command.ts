import type { McpServerFactory } from "@modelcontextprotocol/server";
import type { Command } from "commander";
import { urlVariable } from "../../agents/agent-session.ts";
import { findConfig } from "../../config/find-config.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import { localSession } from "../../daemon/tools/tool-session.ts";
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
      // A file or a device ends and is not closed.
      const ended = new Promise((done) => process.stdin.once("end", done).once("close", done));
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

async function local({ agent, config, data }: McpFlags): Promise<Served> {
  const [{ mcpServer }, { openGalley }] = await Promise.all([
    import("../../daemon/mcp/mcp-server.ts"),
    import("../../galley/open-galley.ts"),
  ]);
  // Only an agent needs a configuration; without one, the models of the owner's tasks are those of the environment.
  const found = config ?? findConfig(".") ?? (agent === undefined ? false : ".");
  const galley = await openGalley({ data, config: found });
  try {
    const { tools } = await galley.toolsFor({ kind: "agent", name: agent ?? reservedAgentName });
    const session = localSession(tools, agent);
    const { redact } = galley.redactor;
    return { factory: () => mcpServer(session, { redact }), close: () => galley.close() };
  } catch (error) {
    await galley.close();
    throw error;
  }
}
