import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { GalleyError } from "@galley/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import { type HookEvent, HookEventBus } from "../../inject/session/hook-event-bus.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { SessionTokenStore } from "../../inject/session/session-token-store.ts";
import { echoTool } from "../testing/temp-agent-host.ts";
import { type Answer, send } from "../testing/temp-daemon.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { type LocalServer, localServer } from "../http/local-server.ts";
import { ToolHost } from "../tools/tool-host.ts";
import { type ToolRoutes, toolRoutes } from "./tool-routes.ts";

/** Aborted when the caller of a tool that waits has gone. */
const waits: AbortSignal[] = [];

const tools = [
  echoTool(),
  defineTool({
    name: "hire",
    description: "Only employees may hire.",
    // JSON Schema, as tools of other people come.
    inputSchema: {
      type: "object",
      properties: { who: { type: "string" } },
      required: ["who"],
      additionalProperties: false,
    },
    scope: "employee",
    execute: (input, { place }) => `${place.name} hired ${(input as { who: string }).who}`,
  }),
  defineTool({
    name: "odd",
    description: "Gives what has no form in JSON.",
    inputSchema: z.object({}),
    scope: "employee",
    execute: () => ({ count: 1n }),
  }),
  defineTool({
    name: "wait",
    description: "Waits until its caller has gone.",
    inputSchema: z.object({}),
    scope: "employee",
    execute: (_, { signal }) => {
      waits.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  }),
  defineTool({
    name: "break",
    description: "Fails.",
    inputSchema: z.object({ how: z.enum(["known", "unknown"]) }),
    execute: ({ how }) => {
      if (how === "known") throw new GalleyError("NotFound", "It is gone.", { hint: "Look." });
      throw new Error("internal: /etc/secret-path");
    },
  }),
];

const tokenStore = new SessionTokenStore();
const redactor = new Redactor();
redactor.watch(tokenStore);
const eventBus = new HookEventBus({ redact: redactor.redact });
const events: HookEvent[] = [];
eventBus.on("*", (event) => events.push(event));
const archetypes: Record<string, AgentInstanceMeta["archetype"]> = { repo: "repo", boss: "employee" };
const agentMeta = (name: string): AgentInstanceMeta | undefined => {
  const archetype = archetypes[name];
  return archetype && { name, archetype, backendType: "x", workspacePolicy: "persistent", launchMode: "managed" };
};
const host = new ToolHost({ tokenStore, eventBus, agentMeta });
const tokenFor = (agent: string, sessionId: string): string => {
  host.grant(sessionId, tools);
  return tokenStore.generate(agent, sessionId);
};
let routes: ToolRoutes;
let server: LocalServer;

beforeAll(async () => {
  routes = toolRoutes(host);
  server = await localServer(routes.app.fetch);
});
afterAll(async () => {
  await routes.close();
  await server.close();
});

interface Call {
  readonly path?: string;
  readonly token?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function call({ path = "/rpc", token, body = "", headers = {} }: Call): Promise<Answer> {
  return send(server.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  });
}

const rpc = (method: string, params?: unknown, id: number | undefined = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params, id });

async function rpcAnswer(token: string, body: string): Promise<unknown> {
  return JSON.parse((await call({ token, body })).text) as unknown;
}

describe("[I5] identity comes from the token", () => {
  test.each(["/mcp", "/rpc"])("%s without a token is answered with 401 and how to do it", async (path) => {
    const answer = await call({ path, body: rpc("test.echo", { text: "x" }) });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="galley"');
    expect(answer.text).toContain("Authorization: Bearer");
  });

  test.each(["/mcp", "/rpc"])("%s with a foreign token is answered with 403, and is an event", async (path) => {
    events.length = 0;
    const foreign = "f".repeat(64);
    const answer = await call({ path, token: foreign, body: rpc("test.echo", { text: "x" }) });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { data: { code: "TokenRefused" } } });
    expect(events.map(({ event, data }) => [event, data])).toEqual([["token:refused", { through: path }]]);
    expect(JSON.stringify(events)).not.toContain(foreign);
  });

  test("a revoked token, and one of an agent that is not declared any more, are foreign too", async () => {
    const revoked = tokenFor("boss", "s-revoked");
    tokenStore.revoke(revoked);
    const gone = tokenFor("gone", "s-gone");
    for (const token of [revoked, gone]) expect((await call({ token, body: rpc("test.echo", {}) })).status).toBe(403);
  });

  test("arguments cannot say who one is", async () => {
    const token = tokenFor("repo", "s-1");
    expect(await rpcAnswer(token, rpc("test.echo", { text: "x", agent: "boss" }))).toMatchObject({
      error: { code: -32_602, data: { code: "ToolInputInvalid" } },
    });
    expect(await rpcAnswer(token, rpc("test.echo", { text: "x" }))).toMatchObject({ result: { agent: "repo" } });
  });

  test("a session sees and reaches the tools of its scope only", async () => {
    const [repo, boss] = [tokenFor("repo", "s-2"), tokenFor("boss", "s-3")];
    expect(await rpcAnswer(repo, rpc("hire", { who: "x" }))).toMatchObject({ error: { code: -32_601 } });
    expect(await rpcAnswer(boss, rpc("hire", { who: "x" }))).toMatchObject({ result: "boss hired x" });
    expect((await mcpTools(repo)).map(({ name }) => name)).toEqual(["galley_echo", "break"]);
    expect((await mcpTools(boss)).map(({ name }) => name)).toEqual(["galley_echo", "hire", "odd", "wait", "break"]);
  });
});

async function connected(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  return client;
}

async function mcpTools(token: string) {
  const client = await connected(token);
  const { tools: found } = await client.listTools();
  await client.close();
  return found;
}

describe("[I10] the same tools over MCP and JSON-RPC", () => {
  test("MCP gives schema, result as text and as data, and errors as results that say what to do", async () => {
    const client = await connected(tokenFor("boss", "s-4"));
    const { tools: found } = await client.listTools();
    expect(found[1]).toMatchObject({ name: "hire", inputSchema: { required: ["who"] } });
    expect(await client.callTool({ name: "galley_echo", arguments: { text: "hi" } })).toMatchObject({
      content: [{ type: "text", text: '{"echo":"hi","agent":"boss"}' }],
      structuredContent: { echo: "hi", agent: "boss" },
    });
    const known = await client.callTool({ name: "break", arguments: { how: "known" } });
    expect(known).toMatchObject({ isError: true, structuredContent: { error: { code: "NotFound", hint: "Look." } } });
    const unknown = await client.callTool({ name: "break", arguments: { how: "unknown" } });
    expect(unknown.isError).toBe(true);
    expect(JSON.stringify(unknown)).not.toContain("secret-path");
    const wrong = await client.callTool({ name: "hire", arguments: { whom: "x" } });
    expect(wrong.isError).toBe(true);
    await client.close();
  });

  test("a tool is told when its caller has gone", async () => {
    const token = tokenFor("boss", "s-6");
    const client = await connected(token);
    const leaving = new AbortController();
    const { signal } = leaving;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const calls = [
      client.callTool({ name: "wait", arguments: {} }, { signal }),
      fetch(`${server.url}/rpc`, { method: "POST", headers, body: rpc("wait", {}), signal }),
    ];
    await expect.poll(() => waits.length).toBe(2);
    leaving.abort();
    await Promise.all(calls.map((call) => expect(call).rejects.toThrow(/abort/i)));
    await expect.poll(() => waits.map((wait) => wait.aborted)).toEqual([true, true]);
    await client.close();
  });

  test("a call after the token was revoked does nothing", async () => {
    const token = tokenFor("boss", "s-5");
    const client = await connected(token);
    tokenStore.revoke(token);
    await expect(client.callTool({ name: "galley_echo", arguments: { text: "x" } })).rejects.toThrow(/403|token/i);
    await client.close();
  });

  test.each<[string, string, unknown]>([
    ["no JSON", "{", { error: { code: -32_700 } }],
    ["no request", '{"hello":1}', { error: { code: -32_600 }, id: null }],
    ["an empty batch", "[]", { error: { code: -32_600 } }],
    ["an unknown method", rpc("nope"), { error: { code: -32_601 }, id: 1 }],
    ["bad arguments", rpc("test.echo", {}), { error: { code: -32_602, data: { path: "text" } } }],
    [
      "a failure that is known",
      rpc("break", { how: "known" }),
      { error: { code: -32_000, data: { code: "NotFound" } } },
    ],
    [
      "a failure that is not",
      rpc("break", { how: "unknown" }),
      { error: { code: -32_603, message: "The method failed." } },
    ],
    [
      "a batch with a notification in it",
      `[${rpc("test.echo", { text: "a" }, 7)},{"jsonrpc":"2.0","method":"test.echo","params":{"text":"b"}}]`,
      [{ id: 7, result: { echo: "a" } }],
    ],
  ])("JSON-RPC: %s", async (_, body, answer) => {
    expect(await rpcAnswer(tokenFor("boss", "s-6"), body)).toMatchObject(answer as object);
  });

  test("JSON-RPC: a result that is not JSON fails alone", async () => {
    const token = tokenFor("boss", "odd");
    const body = `[${rpc("odd", {})},${rpc("test.echo", { text: "x" }, 2)}]`;
    expect(await rpcAnswer(token, body)).toMatchObject([
      { id: 1, error: { code: -32_603 } },
      { id: 2, result: { echo: "x" } },
    ]);
  });

  test("JSON-RPC: notifications alone are answered with nothing", async () => {
    const body = '{"jsonrpc":"2.0","method":"test.echo","params":{"text":"b"}}';
    expect(await call({ token: tokenFor("boss", "s-7"), body })).toMatchObject({ status: 204, text: "" });
  });
});

describe("[I10] the server trusts no page and no name", () => {
  test.each([
    ["a name that was bent to this machine", { host: "evil.example:80" }],
    ["a page of another site", { origin: "https://evil.example" }],
    ["an origin that is none", { origin: "null" }],
  ])("%s gets 403 and no tool runs", async (_, headers) => {
    events.length = 0;
    const token = tokenFor("boss", "s-8");
    const answer = await call({ token, body: rpc("test.echo", { text: "x" }), headers });
    expect(answer.status).toBe(403);
    expect(events).toEqual([]);
  });

  test("a page of this machine may", async () => {
    const token = tokenFor("boss", "s-9");
    const headers = { origin: "http://localhost:5173" };
    expect((await call({ token, body: rpc("test.echo", { text: "x" }), headers })).status).toBe(200);
  });

  test.each(["/mcp", "/rpc"])("%s: a request that is too large gets 413, with its length said or not", async (path) => {
    events.length = 0;
    const token = tokenFor("boss", "s-10");
    const body = rpc("test.echo", { text: "x".repeat(2 * 1024 * 1024) });
    // The connection may be cut before the answer has been read.
    const headers = { "transfer-encoding": "chunked" };
    const { status } = await call({ path, token, body, headers }).catch(() => ({ status: "cut" }));
    expect([413, "cut"]).toContain(status);
    expect((await call({ path, token, headers: { "content-length": "3000000" } })).status).toBe(413);
    expect(events).toEqual([]);
  });
});
