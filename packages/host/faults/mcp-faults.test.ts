import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { isGroupAlive } from "../src/agents/process-group.ts";
import { smallAgent, testHost } from "../src/daemon/testing/temp-agent-host.ts";
import { galleyProcess } from "../src/daemon/testing/temp-daemon.ts";
import type { AcpMcpServer } from "../src/config/providers/acp-mcp-server.ts";
import { claimFault, isThorough } from "./claim-fault.ts";
import { until } from "./lied-to.ts";
import { heldBySockets } from "./lying-model.ts";
import { type Heard, lyingMcp, reply, tool } from "./lying-mcp-http.ts";
import { peakMemory } from "./peak-memory.ts";

const area = "tool servers";
const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(64 * 1024, "x");

const environmentFor = (url: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  GALLEY_SESSION_TOKEN: "t-0123456789",
  GALLEY_MCP_URL: url,
});

/** The bridge, as agents start it that know no HTTP, and a client in front of it. */
async function bridged(url: string): Promise<{ readonly client: Client; readonly transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, "mcp"],
    env: environmentFor(url),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

const on =
  (method: string, lie: (heard: Heard) => void | Promise<void>) =>
  async (heard: Heard): Promise<boolean> => {
    if (heard.call.method !== method) return false;
    await lie(heard);
    return true;
  };

const bent: readonly { readonly name: string; readonly lie: (heard: Heard) => Promise<boolean> }[] = [
  { name: "ends in the middle", lie: on("tools/call", ({ response }) => void response.destroy()) },
  {
    name: "answers with no JSON",
    lie: on(
      "tools/call",
      ({ response }) => void response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":'),
    ),
  },
  {
    name: "answers with a page",
    lie: on(
      "tools/call",
      ({ response }) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    ),
  },
  { name: "answers with another shape", lie: on("tools/call", ({ answer }) => answer({ content: "not a list" })) },
  { name: "answers with 500", lie: on("tools/call", ({ response }) => void response.writeHead(500).end("down")) },
  {
    name: "answers with 200 MB",
    lie: on("tools/call", async ({ call, response, pour }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{"content":[{"type":"text","text":"`);
      await pour(piece, 200 * mebibyte);
      response.end('"}]}}');
    }),
  },
];

describe("[I10] behind the bridge of galley mcp a server", () => {
  test.for(bent)(
    "that $name fails the call, and the bridge goes on",
    { timeout: 120_000 },
    async ({ lie }, { task }) => {
      claimFault(task, {
        area,
        fault: "a server that ends midway, or answers with invalid JSON, another shape, 500 or 200 MB",
        holds:
          "the call fails, and the tools are listed again afterwards; at most 64 MiB are read; the bridge ends with its input",
        rounds: 1,
      });
      const server = await lyingMcp(lie);
      const { client, transport } = await bridged(server.url);
      await expect(client.callTool({ name: "note", arguments: {} })).rejects.toThrow(/\w/u);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["note"]);
      expect(server.sentBytes()).toBeLessThan((64 + heldBySockets) * mebibyte);
      expect(peakMemory(transport.pid ?? undefined) ?? 0).toBeLessThan(700);
      const { pid } = transport;
      await client.close();
      await until(() => !isGroupAlive(pid ?? 0) && peakMemory(pid ?? undefined) === undefined);
    },
  );

  test("that answers to other ids, twice, and between floods of notifications is understood or refused", async ({
    task,
  }) => {
    claimFault(task, {
      area,
      fault: "answers with other ids or twice, floods of notifications",
      holds: "the right answer is found among the wrong ones; the bridge goes on",
      rounds: 1,
    });
    const server = await lyingMcp(
      on("tools/call", ({ call, response }) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const event = (message: object): string =>
          `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
        for (let count = 0; count < 2000; count += 1)
          response.write(event({ method: "notifications/message", params: { level: "info", data: count } }));
        response.write(event({ id: 987_654, result: { content: [{ type: "text", text: "not yours" }] } }));
        const own = event({ id: call.id as number, result: { content: [{ type: "text", text: "yours" }] } });
        response.end(own + own);
      }),
    );
    const { client } = await bridged(server.url);
    expect(await client.callTool({ name: "note", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "yours" }],
    });
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  const lists: readonly {
    readonly name: string;
    readonly result: (cursor: unknown) => object;
    readonly least: number;
  }[] = [
    {
      name: "a page behind every page, in a circle",
      result: () => ({ tools: [tool("note")], nextCursor: "again" }),
      least: 1,
    },
    {
      name: "another page behind every page",
      result: (cursor) => ({ tools: [tool("note")], nextCursor: String(Number(cursor ?? 0) + 1) }),
      least: 0,
    },
    {
      name: "100,000 tools",
      result: () => ({ tools: Array.from({ length: 100_000 }, (_, index) => tool(`t${index}`)) }),
      least: 100_000,
    },
    {
      name: "names with control characters, and twice the same",
      result: () => ({ tools: [tool("a\u0000\n"), tool("note"), tool("note")] }),
      least: 0,
    },
  ];

  test.for(lists)(
    "that lists $name is asked for a limited number of pages, and the bridge goes on",
    { timeout: 120_000 },
    async ({ result, least }, { task }) => {
      claimFault(task, {
        area,
        fault: "lists of tools without end, of 100,000 tools, with names that are none or that collide",
        holds: "the bridge asks for at most 64 pages, hands the list on or refuses it, and goes on",
        rounds: 1,
      });
      let asked = 0;
      const server = await lyingMcp(
        on("tools/list", ({ call, answer }) => {
          asked += 1;
          answer(result(call.params?.["cursor"]));
        }),
      );
      const { client } = await bridged(server.url);
      const before = asked;
      const page = await client
        .request({ method: "tools/list", params: {} }, { timeout: 110_000 })
        .catch(() => ({ tools: [] }));
      expect((page as { tools: unknown[] }).tools.length).toBeGreaterThanOrEqual(least);
      expect(asked - before).toBeLessThanOrEqual(64);
      expect(await client.callTool({ name: "note", arguments: {} })).toMatchObject({ content: [{ text: "noted" }] });
    },
  );

  test("whose tools change is asked again each time", async ({ task }) => {
    claimFault(task, {
      area,
      fault: "lists of tools that change from one time to the next",
      holds: "each listing is the present one; a tool that is gone fails its call, and the bridge goes on",
      rounds: 1,
    });
    let asked = 0;
    const gone = { code: -32_602, message: "There is no such tool." };
    const server = await lyingMcp(({ call, answer, response }) => {
      if (call.method === "tools/list") answer({ tools: [tool(`t${(asked += 1)}`)] });
      else if (call.method === "tools/call") reply(response, { jsonrpc: "2.0", id: call.id, error: gone });
      else return false;
      return true;
    });
    const { client } = await bridged(server.url);
    const list = async (): Promise<unknown> => client.request({ method: "tools/list", params: {} });
    const [first, second] = [await list(), await list()];
    expect(second).not.toEqual(first);
    await expect(client.callTool({ name: "t1", arguments: {} })).rejects.toThrow("no such tool");
    expect(await list()).toMatchObject({ tools: [{ name: `t${asked}` }] });
  });

  test("that never answers is given up, and so is the bridge", async ({ task }) => {
    claimFault(task, {
      area,
      fault: "a server that never answers",
      holds: "galley mcp and galley tool list end by themselves with an error that says what to do",
      rounds: 2,
    });
    const server = await lyingMcp(() => true);
    for (const args of [["mcp"], ["tool", "list", "--json"]]) {
      const started = galleyProcess(args, { env: environmentFor(server.url) });
      expect([args, await started.exited]).not.toEqual([args, 0]);
      expect(started.printed()).toMatch(/AgentFailed|cannot be reached/u);
    }
  });
});

const answers: readonly { readonly name: string; readonly body: string }[] = [
  { name: "no JSON", body: '{"tools": [' },
  { name: "another document", body: '{"hello": true}' },
  { name: "a tool without a name", body: '{"tools": [{"description": "?"}]}' },
];

test.for(answers)("[I10] galley tool is told $name, and says so", async ({ body }, { task }) => {
  claimFault(task, {
    area,
    fault: "answers to galley tool that are not JSON or another document",
    holds: "AgentFailed with a path and a hint, as JSON where that is asked for",
    rounds: 1,
  });
  const { createServer } = await import("node:http");
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const started = galleyProcess(["tool", "list", "--json"], { env: environmentFor(`http://127.0.0.1:${port}/mcp`) });
  expect(await started.exited).not.toBe(0);
  expect(JSON.parse(started.printed())).toMatchObject({
    error: { code: "AgentFailed", path: "url", hint: expect.stringContaining("GALLEY_MCP_URL") as string },
  });
});

// A stdio server that an agent starts; what it does is its last argument.
const stdioServers: Readonly<Record<string, string>> = {
  silent: "process.stdin.resume()",
  garbage: "setInterval(() => process.stdout.write('no json {\\n[1,2]\\n'), 5)",
  "ends at once": "process.exit(3)",
  "floods its output": "const go = () => { process.stdout.write('x'.repeat(65536), go) }; go()",
  "floods its standard error": "const go = () => { process.stderr.write('x'.repeat(65536), go) }; go()",
};

test.for(Object.entries(stdioServers))(
  "[I9] an agent with a tool server that is or %s is ended with it",
  { timeout: 120_000 },
  async ([, script], { task }) => {
    claimFault(task, {
      area,
      fault:
        "tool servers of an agent that are silent, print garbage, flood, end at once; all ignore the end of their input and SIGTERM",
      holds: "the agent starts, its prompt fails or ends within its limit, and no process of either is left",
      rounds: 1,
    });
    const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); ${script}`;
    const server: AcpMcpServer = { name: "liar", command: process.execPath, args: ["-e", stubborn] };
    const providers = [{ name: "liars", getMcpServers: () => [server] }];
    const host = await testHost([smallAgent("", { launchMode: "direct" })], {
      providers,
      // A flood keeps two processes busy until the prompt's limit.
      limits: { agentGraceMs: 300, agentListingMs: 500, agentPromptMs: isThorough ? 3000 : 1000 },
    });
    const { connection } = await host.manager.startAgent("mara");
    await expect(host.manager.prompt("mara", "Go.")).rejects.toMatchObject({
      code: "AgentFailed",
      hint: expect.stringMatching(/\w/u) as string,
    });
    await host.manager.stopAgent("mara");
    await until(() => !isGroupAlive(connection.pid));
    expect(host.tokenStore.size).toBe(0);
  },
);
