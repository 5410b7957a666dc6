import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { startLlmServer, toolCallingModel } from "../../../models/testing/llm-server.ts";
import { smallAgent } from "../../../daemon/testing/temp-agent-host.ts";
import { folder, galley } from "../../testing/run-command.ts";

const chatNames = ["new", "load", "list", "clear_active"]
  .map((name) => `chat_context_${name}`)
  .concat("context_recall");

function project(
  name: string,
  agent: Readonly<Record<string, unknown>> = {},
): { root: string; flags: readonly string[] } {
  const root = join(folder, name);
  mkdirSync(join(root, "skills", "knots"), { recursive: true });
  writeFileSync(
    join(root, "skills", "knots", "SKILL.md"),
    "---\nname: knots\ndescription: Ties knots.\n---\nOver, then under.",
  );
  const { command, args } = smallAgent();
  const agents = [
    {
      name: "mara",
      command,
      args,
      permissions: "deny",
      providers: [{ type: "skills", folders: ["skills"] }],
      ...agent,
    },
  ];
  writeFileSync(join(root, "galley.config.json"), JSON.stringify({ agents }));
  return { root, flags: ["--config", root, "--data", join(root, "data")] };
}

function canvasOf(root: string): unknown {
  const canvases = join(root, "data", "canvas");
  const [own = ""] = readdirSync(canvases);
  const names = readdirSync(join(canvases, own)).filter((name) => name.endsWith(".json"));
  return JSON.parse(readFileSync(join(canvases, own, names.at(-1) ?? ""), "utf8"));
}

async function mcpClient(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const { PATH = "" } = process.env;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [launcher, "mcp", ...args], env: { PATH } }),
  );
  onTestFinished(() => client.close());
  return client;
}

test("[I10] galley mcp serves the tools of a data folder to the client that starts it", async () => {
  const { root, flags } = project("mcp-local");
  const client = await mcpClient(flags);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(chatNames);
  const note = "The bowline is for mooring.";
  const put = await client.callTool({ name: "chat_context_new", arguments: { title: "Knots", note } });
  expect(put.structuredContent).toMatchObject({ archived: { title: "Knots", messageCount: 0 } });
  const { out } = await galley(["chat", "list", "--chat", "agent:local", "--data", join(root, "data"), "--json"]);
  expect(JSON.parse(out)).toMatchObject({ contexts: [{ title: "Knots", summaryPreview: note }] });
});

test("[A4] galley mcp --chat works on another chat, and not together with --agent", async () => {
  const { root, flags } = project("mcp-named");
  const client = await mcpClient(["--data", join(root, "data"), "--chat", "trip"]);
  await client.callTool({ name: "chat_context_new", arguments: { note: "Pack a rope." } });
  const { out } = await galley(["chat", "list", "--chat", "trip", "--data", join(root, "data"), "--json"]);
  expect(JSON.parse(out)).toMatchObject({ total: 1 });
  const both = spawnSync(process.execPath, [launcher, "mcp", ...flags, "--chat", "trip", "--agent", "mara"]);
  expect([both.status, both.stderr.toString()]).toEqual([2, expect.stringContaining("--agent") as string]);
});

test("[I10] galley mcp --agent serves what that agent may use", async () => {
  const { flags } = project("mcp-agent", { archetype: "repo" });
  const client = await mcpClient([...flags, "--agent", "mara"]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...chatNames, "galley_skill_read"]);
  const read = await client.callTool({ name: "galley_skill_read", arguments: { name: "knots" } });
  expect(JSON.stringify(read.content)).toContain("Over, then under.");
});

test("[I10] galley mcp --agent leaves out what the agent does without, and reads the skills that are its own", async () => {
  const { root, flags } = project("mcp-own", { withoutProviders: ["canvas"] });
  const config = JSON.parse(readFileSync(join(root, "galley.config.json"), "utf8")) as object;
  // The provider of the agent takes the place of this one, so that its skills are not the agent's.
  mkdirSync(join(root, "shared"));
  for (const name of ["knots", "secret"]) writeFileSync(join(root, "shared", `${name}.md`), "Of all others.");
  const providers = [{ type: "skills", folders: ["shared"] }];
  writeFileSync(join(root, "galley.config.json"), JSON.stringify({ ...config, providers }));
  const client = await mcpClient([...flags, "--agent", "mara"]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...chatNames, "galley_skill_read"]);
  const read = (name: string) => client.callTool({ name: "galley_skill_read", arguments: { name } });
  expect(JSON.stringify((await read("knots")).content)).toContain("Over, then under.");
  expect(await read("secret")).toMatchObject({ isError: true });
});

test("[I10] an agent of a project shows a page on its canvas; what its providers leave out it does not get", async () => {
  const llm = await startLlmServer(
    toolCallingModel("actant_canvas_update", { html: "<h1>Done</h1>", title: "Result" }),
  );
  onTestFinished(() => llm.close());
  const { root, flags } = project("mcp-canvas", { env: { SMALL_AGENT_LLM: llm.url } });
  const { code, out } = await galley(["agent", "prompt", "mara", "Show it.", ...flags]);
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('"version":1') as string });
  expect(canvasOf(root)).toMatchObject({
    agentName: "mara",
    title: "Result",
    html: expect.stringContaining("Done") as string,
  });
  const names = (): readonly string[] =>
    llm.requests.at(-1)?.tools.map(({ name }) => name.replace("mcp__galley__", "")) ?? [];
  expect(names()).toEqual([...chatNames, "actant_canvas_update", "actant_canvas_clear", "galley_skill_read"]);
  const without = project("mcp-without", { env: { SMALL_AGENT_LLM: llm.url }, withoutProviders: ["canvas", "chat"] });
  await galley(["agent", "prompt", "mara", "Show it.", ...without.flags]);
  expect(names()).toEqual(["context_recall", "galley_skill_read"]);
});

test("[I10] the tools of part W work on the chat of the owner's programs, and an agent's on its own", async () => {
  const { root, flags } = project("mcp-chat");
  const data = join(root, "data");
  const said = [
    { role: "user", content: "How do I tie a bowline?" },
    { role: "assistant", content: "Over, then under." },
  ];
  const lines = said.map((message) => JSON.stringify(message)).join("\n");
  expect(await galley(["chat", "add", "--chat", "agent:local", "--data", data], lines)).toMatchObject({ code: 0 });
  const client = await mcpClient(flags);
  const put = await client.callTool({ name: "chat_context_new", arguments: { title: "Knots" } });
  expect(put.structuredContent).toMatchObject({ archived: { title: "Knots" } });
  const found = await client.callTool({ name: "chat_context_load", arguments: { query: "bowline" } });
  expect(found.structuredContent).toMatchObject({ loaded: { title: "Knots" } });
  const wrong = await client.callTool({ name: "chat_context_list", arguments: { limit: 0 } });
  expect(wrong.isError).toBe(true);
  const agent = await mcpClient([...flags, "--agent", "mara"]);
  expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(chatNames));
  const other = await agent.callTool({ name: "chat_context_load", arguments: { query: "bowline" } });
  expect(other.structuredContent).toMatchObject({ loaded: null });
});

test("[I10] galley mcp ends in peace when its input is empty", () => {
  const { flags } = project("empty-input");
  const ended = spawnSync(process.execPath, [launcher, "mcp", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  expect([ended.status, ended.stdout.toString(), ended.stderr.toString()]).toEqual([0, "", ""]);
});
