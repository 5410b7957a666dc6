import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { ContextProvider } from "../../../config/providers/context-provider.ts";
import { type ActantToolDefinition, definitionOf } from "../../../config/providers/tool-definition.ts";
import { type AgentHost, openGalleyAgents } from "../../../daemon/agents/agent-host.ts";
import { previewSession } from "../../../daemon/agents/preview-session.ts";
import { mcpServer } from "../../../daemon/mcp/mcp-server.ts";
import { smallAgent } from "../../../daemon/testing/temp-agent-host.ts";
import { send, testDaemon } from "../../../daemon/testing/temp-daemon.ts";
import { localSession } from "../../../daemon/tools/tool-session.ts";
import type { Galley } from "../../../galley/galley.ts";
import { addProfile, galleyIn } from "../../../galley/testing/temp-galley.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import { defineTool } from "../../../tools/define-tool.ts";
import { galley as command } from "../../testing/run-command.ts";

const chat = ["chat_context_new", "chat_context_load", "chat_context_list", "chat_context_clear_active"];
const recall = ["context_recall"];
const handover = ["delegate_async", "fork_join", "launch_principal", "ask_expert", "join", "await_result"];
const canvas = ["actant_canvas_update", "actant_canvas_clear"];

const told = (name: string, rpcMethod: string): ActantToolDefinition => ({
  name,
  description: `The ${name}.`,
  parameters: { type: "object", properties: { html: { type: "string" } } },
  rpcMethod,
  scope: "all",
});
const lamp = defineTool({
  name: "lamp",
  description: "Switches the lamp.",
  inputSchema: z.strictObject({ on: z.boolean() }),
  execute: ({ on }, { caller }) => ({ on, caller }),
});
const count = defineTool({ name: "count", description: "Counts.", inputSchema: { type: "object" }, execute: () => 1 });

/** Brings one tool with its function, one that Galley's canvas runs, and one that nothing can run. */
const house: ContextProvider = {
  name: "house",
  getTools: () => [definitionOf(lamp), told("page", "canvas.update"), told("doorbell", "house.ring")],
};

async function open(): Promise<{ readonly galley: Galley; readonly host: AgentHost }> {
  const galley = await galleyIn(undefined, {
    config: { agents: [smallAgent()], providers: [house] },
    tools: [count, { name: "hollow", description: "Does nothing.", inputSchema: {} }],
  });
  await addProfile(galley, "writer", "You write.");
  const host = await openGalleyAgents(galley, { folder: galley.data });
  onTestFinished(() => host.close());
  return { galley, host };
}

const names = (tools: readonly { readonly name: string }[]): readonly string[] => tools.map(({ name }) => name);

async function mcpClient(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function toolCommand(url: string, token: string, args: readonly string[]): Promise<unknown> {
  Object.assign(process.env, { GALLEY_SESSION_TOKEN: token, GALLEY_MCP_URL: url });
  try {
    return JSON.parse((await command(["tool", ...args])).out);
  } finally {
    delete process.env["GALLEY_SESSION_TOKEN"];
    delete process.env["GALLEY_MCP_URL"];
  }
}

async function rpcList(url: string, token: string): Promise<readonly string[]> {
  const { text } = await send(new URL("tools", url).href, { headers: { authorization: `Bearer ${token}` } });
  return names((JSON.parse(text) as { tools: { name: string }[] }).tools);
}

/** The faces that serve another list than this one. */
function differing(faces: Readonly<Record<string, readonly string[]>>, list: readonly string[]): readonly string[] {
  return Object.keys(faces).filter((face) => JSON.stringify(faces[face]) !== JSON.stringify(list));
}

test("[T2] every face of an agent serves one list, and nothing is told of a tool that nothing can run", async () => {
  const { galley, host } = await open();
  const [agent] = galley.config?.agents ?? [];
  if (!agent) throw new Error("There is no agent.");
  const { context } = await host.manager.startAgent("mara");
  const { mcpUrl: url } = host;
  const client = await mcpClient(url, context.token);
  const turn = await galley.turn({ agent: "mara", input: "hello" });
  const place = await galley.toolsFor({ kind: "agent", name: "mara" });
  const stdio = new Client({ name: "stdio", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = mcpServer(localSession(place.tools, { agent: "mara" }));
  await Promise.all([server.connect(there), stdio.connect(here)]);
  const listed = (await toolCommand(url, context.token, ["list", "--json"])) as { tools: { name: string }[] };
  const faces = {
    loop: names(turn.tools),
    session: names(context.tools),
    mcp: names((await client.listTools()).tools),
    stdio: names((await stdio.listTools()).tools),
    rpc: await rpcList(url, context.token),
    command: names(listed.tools),
    preview: names((await previewSession(galley, agent, new Redactor())).context.tools),
  };
  const list = [...chat, ...recall, ...handover, ...canvas, "lamp", "page", "count"];
  expect(faces.loop).toEqual(list);
  expect(differing(faces, list)).toEqual([]);
  expect(differing({ ...faces, planted: [...list, "doorbell"] }, list)).toEqual(["planted"]);
  for (const text of [context.systemContextAdditions.join("\n"), JSON.stringify(turn.messages)]) {
    expect(text).not.toMatch(/doorbell|hollow/);
  }
  expect(list.filter((name) => !context.systemContextAdditions.at(-1)?.includes(`\`${name}(`))).toEqual([]);
  expect(context.hidden).toContainEqual({
    kind: "tool",
    name: "doorbell",
    provider: "house",
    rule: "not-runnable",
    reason: "it brings no execute, and no tool here has the method house.ring",
  });
  expect(turn.problems.map(({ path }) => path)).toEqual(["doorbell", "hollow"]);
  await turn.abort();
});

test("[T2] the tools of a provider do the same over MCP, from the command and in the loop", async () => {
  const { galley, host } = await open();
  const { context } = await host.manager.startAgent("mara");
  const client = await mcpClient(host.mcpUrl, context.token);
  const lit = { on: true, caller: "agent:mara" };
  expect(await client.callTool({ name: "lamp", arguments: { on: true } })).toMatchObject({ structuredContent: lit });
  expect(await toolCommand(host.mcpUrl, context.token, ["call", "lamp", '{"on":true}'])).toEqual(lit);
  const { text } = await galley.run({ agent: "mara", input: 'call lamp {"on":true}' }).result;
  expect(text).toContain('"on":true');
  const wrong = await client.callTool({ name: "lamp", arguments: { on: "yes" } });
  expect(wrong).toMatchObject({
    isError: true,
    structuredContent: { error: { code: "ToolInputInvalid", path: "on" } },
  });
  await client.callTool({ name: "page", arguments: { html: "<p>Hi</p>" } });
  expect(await galley.canvases.get("mara")).toMatchObject({ version: 1, html: "<p>Hi</p>" });
  const ringing = client.callTool({ name: "doorbell", arguments: {} });
  await expect(ringing).rejects.toThrow("doorbell");
});

test("[T2] chats and sessions are told of what toolsFor lists, and only where there is somebody to hand work to", async () => {
  const galley = await galleyIn(undefined, { tools: [count] });
  const listsOf = async (): Promise<readonly (readonly string[])[]> => {
    const turns = [await galley.turn({ chat: "a", input: "x" }), await galley.turn({ session: "a", input: "x" })];
    for (const turn of turns) await turn.abort();
    const places = [
      await galley.toolsFor({ kind: "chat", name: "a" }),
      await galley.toolsFor({ kind: "session", name: "a" }),
    ];
    expect(places.map(({ tools }) => names(tools))).toEqual(turns.map(({ tools }) => names(tools)));
    return turns.map(({ tools }) => names(tools));
  };
  expect(await listsOf()).toEqual([
    [...chat, ...recall, "count"],
    [...recall, "count"],
  ]);
  await addProfile(galley, "writer", "You write.");
  expect(await listsOf()).toEqual([
    [...chat, ...recall, ...handover, "count"],
    [...recall, ...handover, "count"],
  ]);
});

test("[T2] the owner's programs get one list over MCP and JSON-RPC, also when a profile comes later", async () => {
  const { url, token, daemon } = await testDaemon({ galley: { tools: [count] } });
  const faces = async () => ({
    mcp: names((await (await mcpClient(`${url}/mcp`, token)).listTools()).tools),
    rpc: await rpcList(`${url}/mcp`, token),
    place: names((await daemon.galley.toolsFor({ kind: "agent", name: "local" })).tools),
  });
  expect(differing(await faces(), [...chat, ...recall, "count"])).toEqual([]);
  await addProfile(daemon.galley, "writer", "You write.");
  expect(differing(await faces(), [...chat, ...recall, ...handover, "count"])).toEqual([]);
});

test("[T2] spec objects are the same from run to run, so that what was counted of them is known", async () => {
  const { galley } = await open();
  const specsOf = async (place: { chat: string } | { agent: string }) => {
    const turn = await galley.turn({ ...place, input: "x" });
    await turn.abort();
    return turn.tools;
  };
  for (const place of [{ chat: "a" }, { agent: "mara" }]) {
    const [first, second] = [await specsOf(place), await specsOf(place)];
    expect(first.filter((spec, index) => spec !== second[index])).toEqual([]);
  }
});
