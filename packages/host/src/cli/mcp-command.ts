import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { urlVariable } from "../agent/agent-session.ts";
import { connectToHost, mcpBridge } from "../daemon/mcp-bridge.ts";
import { tokenVariable } from "../inject/tool-instructions.ts";
import type { Terminal } from "./terminal.ts";

/** `galley mcp`: the tools as an MCP server on standard streams. */
export function addMcpCommand(program: Command, _terminal: Terminal): void {
  program
    .command("mcp")
    .summary("serve the tools as an MCP server over standard input and output")
    .action(async () => {
      const { [tokenVariable]: token, [urlVariable]: url } = process.env;
      if (token === undefined || url === undefined) throw new GalleyError("BadUsage", "not yet");
      const host = await connectToHost(url, token);
      const ended = new Promise((resolve) => process.stdin.once("close", resolve));
      const handle = serveStdio(() => mcpBridge(host));
      await ended;
      await handle.close();
      await host.close();
    });
}
