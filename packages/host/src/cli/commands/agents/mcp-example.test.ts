import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { example } from "../../testing/run-command.ts";

interface McpFile {
  readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
}

test("[I10] a real MCP client starts the server of examples/mcp and has the tools that its page names", async () => {
  const { galley } = (JSON.parse(readFileSync(example("mcp/.mcp.json"), "utf8")) as McpFile).mcpServers;
  expect([galley?.command, galley?.args[0]]).toEqual(["npx", "galley"]);
  const cwd = mkdtempSync(join(tmpdir(), "galley-mcp-"));
  const client = new Client({ name: "example", version: "1" });
  onTestFinished(async () => {
    await client.close();
    rmSync(cwd, { recursive: true });
  });
  // What `npx galley` finds in a project where Galley is installed.
  const args = [launcher, ...(galley?.args.slice(1) ?? [])];
  const { PATH = "" } = process.env;
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env: { PATH } }));

  const { tools } = await client.listTools();
  const page = readFileSync(example("mcp/README.md"), "utf8");
  const [, named = ""] = /has Galley's tools: (.*)/.exec(page) ?? [];
  const names = [...named.matchAll(/`((?:chat|context)_[a-z_]+)`/g)].map(([, name = ""]) => name);
  expect(tools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());

  const { content, isError } = await client.callTool({ name: "chat_context_list", arguments: {} });
  expect([isError ?? false, JSON.stringify(content)]).toEqual([false, expect.stringContaining("contexts")]);
});
