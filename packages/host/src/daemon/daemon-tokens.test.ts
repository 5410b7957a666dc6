import { expect, test } from "vitest";
import { smallAgent } from "./testing/temp-agent-host.ts";
import { send, testDaemon } from "./testing/temp-daemon.ts";
import { connectToHost } from "./mcp/mcp-bridge.ts";

test("[I5] the token of an agent opens its tools, and nothing of the API", async () => {
  const own = await testDaemon({ galley: { config: { agents: [smallAgent()] } } });
  await own.call("agents.start", { params: { name: "mara" } });
  const [token] = Object.entries(own.daemon.galley.redactor.secrets()).flatMap(([name, value]) =>
    name.startsWith("token:mara") ? [value] : [],
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect((await send(`${own.url}/tools`, { headers })).status).toBe(200);
  expect((await send(`${own.url}/api/info`, { headers })).status).toBe(403);
  const call = { jsonrpc: "2.0", id: 1, method: "info.get" };
  const rpc = async (given: Record<string, string>) =>
    JSON.parse(
      (await send(`${own.url}/rpc`, { method: "POST", headers: given, body: JSON.stringify(call) })).text,
    ) as unknown;
  expect(await rpc(headers)).toMatchObject({ error: { code: -32_601 } });
  expect(await rpc({ ...headers, authorization: `Bearer ${own.token}` })).toMatchObject({ result: { data: own.data } });
});

test("[I10] the daemon's own token has tools over MCP, with a chat of its own", async () => {
  const own = await testDaemon();
  const client = await connectToHost(`${own.url}/mcp`, own.token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("chat_context_list");
  const listed = await client.callTool({ name: "chat_context_list", arguments: {} });
  expect(listed.structuredContent).toMatchObject({ contexts: [], total: 0 });
  await client.close();
  await expect(connectToHost(`${own.url}/mcp`, "0".repeat(64))).rejects.toMatchObject({ code: "TokenRefused" });
});
