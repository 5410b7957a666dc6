import { resolve } from "node:path";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { type Command, Option } from "commander";
import { urlVariable } from "../../../agents/agent-session.ts";
import { findConfig } from "../../../config/find-config.ts";
import { reservedAgentName } from "../../../config/providers/agent-meta.ts";
import type { OpenedFolder } from "../../../daemon/mcp/mcp-hosts.ts";
import { localSession } from "../../../daemon/tools/tool-session.ts";
import { tokenVariable } from "../../../inject/session/tool-instructions.ts";
import { type AgentFlags, addAgentFlags } from "../../input/agent-flags.ts";
import { tokenOption } from "../../input/options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { addInstallCommands } from "./mcp-install-command.ts";

interface McpFlags extends AgentFlags {
  readonly agent?: string;
  readonly chat?: string;
}

const description = `Serves the tools as an MCP server over standard input and output, for programs that start MCP servers themselves; galley mcp install adds it to their settings.
They put topics away with a note and load them again, in the same program or another one; the program's own conversation does not change. All programs share one chat of the data folder, unless --chat names another. A daemon that runs on the data folder is used.
Inside a session that Galley runs (${tokenVariable} and ${urlVariable} are set) they are the tools of that session.`;

/** `galley mcp`: the tools as an MCP server on standard streams. Standard output belongs to the protocol. */
export function defineMcp(command: Command, terminal: Terminal): void {
  addAgentFlags(command.description(description))
    .addOption(tokenOption())
    .option("--agent <name>", "serve what this agent of the configuration may use, without the daemon")
    .addOption(
      new Option(
        "--chat <key>",
        "work on the contexts of this chat (default: agent:local, which all programs share)",
      ).conflicts("agent"),
    )
    .option("--json", "the output is JSON in any case")
    .action(async (flags: McpFlags) => {
      const { [tokenVariable]: token, [urlVariable]: url } = process.env;
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const served = token !== undefined && url !== undefined ? await sessionHost(url, token) : await folderHost(flags);
      // A file or a device ends and is not closed.
      const ended = new Promise((done) => process.stdin.once("end", done).once("close", done));
      const handle = serveStdio(served.factory);
      await ended;
      await handle.close();
      await served.close();
    });
  addInstallCommands(command, terminal);
}

interface Served {
  readonly factory: McpServerFactory;
  close(): Promise<void>;
}

async function sessionHost(url: string, token: string): Promise<Served> {
  const { connectToHost, mcpBridge } = await import("../../../daemon/mcp/mcp-bridge.ts");
  const host = await connectToHost(url, token);
  const hosts = { current: async () => host, drop: async () => undefined };
  return { factory: () => mcpBridge(hosts), close: () => host.close() };
}

async function folderHost(flags: McpFlags): Promise<Served> {
  const { agent, chat, config, data, token } = flags;
  // The daemon acts for no agent, and has a configuration of its own.
  if (agent !== undefined || config !== undefined) {
    const [{ mcpServer }, opened] = await Promise.all([import("../../../daemon/mcp/mcp-server.ts"), openFolder(flags)]);
    return { factory: () => mcpServer(opened.session, opened.options), close: () => opened.close() };
  }
  const [{ folderHosts }, { mcpBridge }] = await Promise.all([
    import("../../../daemon/mcp/mcp-hosts.ts"),
    import("../../../daemon/mcp/mcp-bridge.ts"),
  ]);
  const hosts = folderHosts({ dataFolder: resolve(data), token, chat, open: () => openFolder(flags) });
  // Before the client asks: what is wrong with the data folder is said on standard error, and ends the command.
  await hosts.current();
  return { factory: () => mcpBridge(hosts), close: () => hosts.close() };
}

async function openFolder({ agent, chat, config, data }: McpFlags): Promise<OpenedFolder> {
  const [{ openGalley }, { clientChat }] = await Promise.all([
    import("../../../galley/open-galley.ts"),
    import("../../../turn/tools/tools-for.ts"),
  ]);
  // Only an agent needs a configuration; without one, the models of the owner's tasks are those of the environment.
  const found = config ?? findConfig(".") ?? (agent === undefined ? false : ".");
  const galley = await openGalley({ data, config: found });
  try {
    const key = chat ?? clientChat;
    // A key that no chat can have is said at once.
    if (agent === undefined) await galley.chats.open(key);
    const { tools } = await galley.toolsFor({ kind: "agent", name: agent ?? reservedAgentName }, { sharedChat: key });
    const session = localSession(tools, agent === undefined ? { chat: () => galley.chats.open(key) } : { agent });
    const { redact } = galley.redactor;
    return { session, options: { redact }, close: () => galley.close() };
  } catch (error) {
    await galley.close();
    throw error;
  }
}
