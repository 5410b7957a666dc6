import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { eventsOf, galleyWith } from "../../galley/testing/temp-galley.ts";
import type { AcpMcpServer, AcpMcpServerStdio } from "../../config/providers/acp-mcp-server.ts";
import { openGalley } from "../../galley/open-galley.ts";
import type { LlmRequest } from "../../models/testing/llm-protocols.ts";
import { valueOf } from "../../tools/run-tool.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { McpServers } from "../services/services.ts";
import { mcpWebServer } from "../testing/mcp-web-server.ts";
import { mcpServers } from "./mcp-tools.ts";

const file = fileURLToPath(new URL("../testing/mcp-server.ts", import.meta.url));
const serverOf = (mode: string, name = "things"): AcpMcpServerStdio => ({
  name,
  command: process.execPath,
  args: [file, mode],
});

function opened(connectMs = 60_000): McpServers {
  const servers = mcpServers({ connectMs, callMs: 60_000 });
  onTestFinished(() => servers.close());
  return servers;
}

function context(): ToolContext {
  const place = { kind: "agent", name: "ann" } as const;
  return { caller: "agent:ann", place, callId: "1", signal: new AbortController().signal };
}

async function call(
  servers: McpServers,
  server: AcpMcpServer | string,
  name: string,
  text = "hello",
): Promise<unknown> {
  const { tools } = await servers.tools(typeof server === "string" ? serverOf(server) : server, ".");
  const outcome = await tools.find((tool) => tool.name === name)?.execute?.({ text }, context());
  return outcome?.kind === "result" ? valueOf(outcome.content) : outcome;
}

test("[T15] of a server with 5,000 tools 512 are offered, and the rest is named as hidden", async () => {
  const { tools, problems } = await opened().tools(serverOf("many"), ".");
  expect(tools).toHaveLength(512);
  expect(problems.map(({ message }) => message)).toEqual([
    "The MCP server things lists more than 512 tools; 4488 are hidden: tool_512, tool_513, tool_514, tool_515, tool_516, ….",
  ]);
});

test.each([
  ["silent", "no answer within|timed out"],
  ["endless", "pagination did not terminate"],
  ["missing", "Connection closed"],
])("[T15] a server that is %s gives no tools, and the turn is told why", async (mode, reason) => {
  const server = mode === "missing" ? { name: "things", command: process.execPath, args: ["-e", "0"] } : serverOf(mode);
  const { tools, problems } = await opened(mode === "silent" ? 300 : 60_000).tools(server, ".");
  expect(tools).toEqual([]);
  expect(problems[0]?.message).toMatch(new RegExp(`^The MCP server things gives no tools: .*(${reason})`));
});

test("[T15] a server that lists nonsense, gives too much, fails or dies harms neither the turn nor the next call", async () => {
  const servers = opened();
  const { tools, problems } = await servers.tools(serverOf("liar"), ".");
  expect(tools.map(({ name }) => name)).toEqual(["echo", "die", "huge", "fail", "join"]);
  expect(problems).toHaveLength(2);
  const huge = String(await call(servers, "liar", "huge"));
  expect(huge).toMatch(/x\n\[… 600000 characters were cut off …\]$/);
  await expect(call(servers, "liar", "fail")).rejects.toMatchObject({ message: "It is closed today." });
  const before = String(await call(servers, "liar", "echo"));
  await expect(call(servers, "liar", "die")).rejects.toThrow("Connection closed");
  const after = String(await call(servers, "liar", "echo"));
  expect(after).toContain("says hello");
  expect(after.split(" ")[0]).not.toBe(before.split(" ")[0]);
});

test.each(["http", "sse"] as const)(
  "[T15] a server over %s is connected once, with its headers, and once more after it was started again",
  async (type) => {
    const first = await mcpWebServer(type, { mode: "liar" });
    const servers = opened();
    const server = { type, name: "things", url: first.url, headers: [{ name: "x-key", value: "k1" }] };
    const both = await Promise.all([call(servers, server, "echo", "one"), call(servers, server, "echo", "two")]);
    expect(both.map((said) => String(said).split(" ").slice(1).join(" "))).toEqual(["says one", "says two"]);
    await expect(call(servers, server, "fail")).rejects.toMatchObject({ message: "It is closed today." });
    expect(String(await call(servers, server, "huge"))).toContain("600000 characters were cut off");
    expect(first.sessions).toEqual(["k1"]);
    // A turn has the tools, and the server is started again: the calls come to the new one.
    const { tools } = await servers.tools(server, ".");
    const echo = async (text: string): Promise<unknown> => {
      const outcome = await tools.find(({ name }) => name === "echo")?.execute?.({ text }, context());
      return outcome?.kind === "result" ? valueOf(outcome.content) : outcome;
    };
    const port = Number(new URL(first.url).port);
    await first.stop();
    const second = await mcpWebServer(type, { port });
    // A call that was under way when the server ended may have been carried out: it is not made once more by itself.
    await echo("lost").catch(() => undefined);
    expect(await echo("three")).toContain("says three");
    expect(second.sessions).toEqual(["k1"]);
    await second.stop();
    await expect(echo("four")).rejects.toMatchObject({
      code: "ToolFailed",
      message: expect.stringMatching(/^The MCP server things failed: ./) as string,
    });
    expect((await servers.tools(server, ".")).problems[0]?.message).toMatch(/things gives no tools: .*ECONNREFUSED/);
    const third = await mcpWebServer(type, { port });
    onTestFinished(() => third.stop());
    expect(await echo("five")).toContain("says five");
  },
);

test("[T15] a server over HTTP that has forgotten the session says so, and the call is made in a new one", async () => {
  const web = await mcpWebServer("http");
  onTestFinished(() => web.stop());
  const servers = opened();
  const server = { type: "http", name: "things", url: web.url, headers: [] } as const;
  expect(await call(servers, server, "echo", "one")).toContain("says one");
  web.sessions.length = 0;
  expect(await call(servers, server, "echo", "two")).toContain("says two");
});

test("[T15] a run of an agent has the tools of the MCP servers that its providers name; a name that is taken gets the server's", async () => {
  const { galley, server, data } = await galleyWith(({ toolResults, tools }: LlmRequest) => {
    const echo = tools.find(({ name }) => name === "echo") ?? { name: "echo" };
    return toolResults.length > 0
      ? { text: `It ${toolResults.join()}` }
      : { tool: echo, input: { text: "good morning" } };
  });
  await galley.close();
  const models = { default: "local/tiny-1", providers: galley.config?.models.providers ?? [] };
  const provider = { name: "servers", getMcpServers: () => [serverOf("liar"), serverOf("good", "two")] };
  const config = { agents: [{ name: "ann", command: "none", providers: [provider] }], models };
  const own = await openGalley({ data: `${data}-2`, config, environment: {} });
  onTestFinished(() => own.close());
  await own.handover.saveProfile("writer", "You write.");
  const run = own.run({ agent: "ann", input: "Say it." });
  const events = await eventsOf(run);
  expect((await run.result).text).toContain("says good morning");
  // Those who follow the run are told what is missing.
  const build = events.find(({ type }) => type === "build");
  expect(JSON.stringify(build)).toContain("of the MCP server things is not offered: its name is not one that");
  const [body = ""] = server.bodies;
  for (const name of ["echo", "two_echo", "join", "things_join"]) expect(body).toContain(`"${name}"`);
});
