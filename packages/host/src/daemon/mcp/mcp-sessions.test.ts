import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import { SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { localServer } from "../http/local-server.ts";
import { toolRoutes } from "../rpc/tool-routes.ts";
import { echoTool, smallAgent, testHost } from "../testing/temp-agent-host.ts";
import { type Answer, send, testDaemon } from "../testing/temp-daemon.ts";
import { ToolHost } from "../tools/tool-host.ts";

const sessionHeader = "mcp-session-id";

/** One message of MCP over HTTP, with these headers. */
function speak(
  url: string,
  method: string,
  params: object,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return send(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "a client", version: "1" },
};

test("[I5] the id of an MCP session opens nothing, can be planted in nobody, and ends nobody's session", async () => {
  const tokenStore = new SessionTokenStore();
  const meta = { backendType: "generic", workspacePolicy: "persistent", launchMode: "managed" } as const;
  const host = new ToolHost({
    tokenStore,
    eventBus: new HookEventBus(),
    agentMeta: (name) => ({ ...meta, name, archetype: "employee" }),
  });
  const routes = toolRoutes(host);
  const server = await localServer(routes.app.fetch);
  onTestFinished(async () => {
    await routes.close();
    await server.close();
  });
  const url = `${server.url}/mcp`;
  const secret = defineTool({ name: "only_mara", description: "Hers.", inputSchema: {}, execute: () => "hers" });
  const [mara, noor] = [tokenStore.generate("mara", "m"), tokenStore.generate("noor", "n")];
  host.grant("m", [secret]);
  host.grant("n", [echoTool()]);
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

  const planted = { ...bearer(mara), [sessionHeader]: "planted-by-another" };
  const opened = await speak(url, "initialize", hello, planted);
  expect(opened.status).toBe(200);
  const id = String(opened.headers[sessionHeader]);
  expect(id).not.toBe("planted-by-another");
  const hers = { [sessionHeader]: id };

  expect((await speak(url, "tools/list", {}, { ...bearer(mara), ...hers })).text).toContain("only_mara");
  const listed = await speak(url, "tools/list", {}, { ...bearer(noor), ...hers });
  expect([listed.status, listed.text.includes("only_mara")]).toEqual([200, false]);
  expect(listed.text).toContain("galley_echo");
  const called = await speak(url, "tools/call", { name: "only_mara", arguments: {} }, { ...bearer(noor), ...hers });
  expect(called.text).toContain("not found");
  expect((await speak(url, "tools/list", {}, hers)).status).toBe(401);
  // An agent's token names no chat: that is for the owner's programs.
  expect((await speak(`${url}?chat=trip`, "tools/list", {}, bearer(mara))).status).toBe(400);
  expect((await speak(url, "tools/list", {}, { ...bearer("0".repeat(64)), ...hers })).status).toBe(403);
  for (const method of ["DELETE", "GET"]) {
    const { status } = await send(url, { method, headers: { ...bearer(noor), ...hers, accept: "text/event-stream" } });
    expect([method, status >= 400]).toEqual([method, true]);
  }
  for (const odd of ["../../etc/passwd", "%0d%0aset-cookie: a=b", "=".repeat(5000), "\u00e9"]) {
    const answer = await speak(url, "tools/list", {}, { ...bearer(mara), [sessionHeader]: odd });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([200, undefined]);
  }
  expect((await speak(url, "tools/list", {}, { ...bearer(mara), ...hers })).text).toContain("only_mara");
  tokenStore.revokeSession("mara", "m");
  expect((await speak(url, "tools/list", {}, { ...bearer(mara), ...hers })).status).toBe(403);
});

test("[P6] a session token that a tool repeats does not come back, also where the command itself serves the tools", async () => {
  const { manager, mcpUrl } = await testHost([smallAgent()]);
  const { context } = await manager.startAgent("mara");
  const headers = { authorization: `Bearer ${context.token}` };
  const params = { name: "galley_echo", arguments: { text: `it is ${context.token}` } };
  const called = await speak(mcpUrl, "tools/call", params, headers);
  expect(called.text).toMatch(/it is ‹secret:token:mara(?:~\d+)?›/u);
  expect(called.text).not.toContain(context.token);
  const rpc = new URL("rpc", mcpUrl).href;
  const answered = await speak(rpc, "test.echo", { text: context.token }, headers);
  expect(answered.text).toMatch(/‹secret:token:mara(?:~\d+)?›/u);
  expect(answered.text).not.toContain(context.token);
});

test("[P6] a session token that a tool gives, or an agent draws, is in no chat, build, canvas or file, and in nothing that Studio reads", async () => {
  const known: string[] = [];
  const leak = defineTool({
    name: "leak",
    description: "Gives a token away.",
    inputSchema: { type: "object" },
    execute: () => ({ token: known[0], [`key ${known[0]}`]: [`Bearer ${known[0]}`, { deep: `?t=${known[0]}` }] }),
  });
  const own = await testDaemon({ galley: { config: { agents: [smallAgent("tell-secrets")] }, tools: [leak] } });
  const early = { params: { key: "early" } };
  await own.call("chats.add", {
    ...early,
    body: { messages: [{ role: "user", content: "Opened before the agent." }] },
  });
  await own.call("agents.start", { params: { name: "mara" } });
  const secrets = Object.entries(own.daemon.galley.redactor.secrets());
  known.push(...secrets.flatMap(([name, value]) => (name.startsWith("token:mara") ? [value] : [])));
  const [token = "none"] = known;
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  const written: string[] = [];
  const body = { chat: "talk", model: "demo", input: `call leak {}` };
  written.push(JSON.stringify(await own.events("runs.start", { body })));
  expect(written[0]).toContain("‹secret:token:mara");
  await own.call("chats.add", { ...early, body: { messages: [{ role: "assistant", content: `It is ${token}.` }] } });
  const headers = { authorization: `Bearer ${token}` };
  await speak(`${own.url}/rpc`, "canvas.update", { html: `<p>${token}</p>`, title: token }, headers);
  written.push(
    JSON.stringify(await own.events("agents.prompt", { params: { name: "mara" }, body: { text: "TOKEN" } })),
  );
  written.push((await own.get("/canvas/mara")).text);
  for (const path of [
    "/api/chats/talk/transcript",
    "/api/sessions/chat:talk/calls/2",
    "/api/runs",
    "/api/agents/mara",
  ]) {
    const { status, text } = await own.get(path);
    expect([path, status]).toEqual([path, 200]);
    written.push(text);
  }
  const files = readdirSync(own.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  written.push(...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")));
  expect(written.filter((text) => text.includes(token)).map((text) => text.slice(0, 200))).toEqual([]);
});
