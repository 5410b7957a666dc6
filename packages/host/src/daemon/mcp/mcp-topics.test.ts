import { tokenAccount, tokenizerForModel } from "@galley/engine";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { contextToolFacts } from "../../chat/context-tool-facts.ts";
import { addProfile, galleyIn } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";
import { specOf } from "../../tools/tool-specs.ts";
import { clientChat } from "../../turn/tools/tools-for.ts";
import { type TestDaemon, testDaemon } from "../testing/temp-daemon.ts";
import { localSession } from "../tools/tool-session.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import { folderHosts } from "./mcp-hosts.ts";
import { mcpServer } from "./mcp-server.ts";

const chatNames = Object.values(contextToolFacts).map(({ name }) => name);

/** The official client in front of a server of this process. */
async function connect(
  server: { connect(transport: InMemoryTransport): Promise<void> },
  name: string,
): Promise<Client> {
  const client = new Client({ name, version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  return client;
}

async function localClient(galley: Galley, name: string, chat = clientChat): Promise<Client> {
  const { tools } = await galley.toolsFor({ kind: "agent", name: "local" }, { sharedChat: chat });
  return connect(mcpServer(localSession(tools, { chat: () => galley.chats.open(chat) })), name);
}

async function daemonClient({ url, token }: TestDaemon, name: string, query = ""): Promise<Client> {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

async function call(client: Client, name: string, input: object): Promise<Record<string, unknown>> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: { ...input } });
  return { ...(structuredContent as object), ...(isError ? { isError } : {}) };
}

const archivedId = ({ archived }: Record<string, unknown>): string => (archived as { contextId: string }).contextId;

test("[A7] a topic that one client puts away with a note is listed, loaded and carried on in another", async () => {
  const galley = await galleyIn();
  const [one, two] = [await localClient(galley, "claude-code"), await localClient(galley, "codex")];
  const put = await call(one, "chat_context_new", { title: "Taxes", note: "Form A is done. Next: form B." });
  expect(put).toMatchObject({ message: expect.stringContaining("Your own conversation is unchanged") as string });
  const contextId = archivedId(put);
  expect(await call(two, "chat_context_list", {})).toMatchObject({
    contexts: [{ contextId, title: "Taxes", summaryPreview: "Form A is done. Next: form B." }],
  });
  const loaded = await call(two, "chat_context_load", { query: "form B" });
  expect(loaded).toMatchObject({ loaded: { contextId }, note: "Form A is done. Next: form B.", messages: [] });
  expect(loaded["message"]).toContain("call chat_context_new with this contextId");
  const again = await call(two, "chat_context_new", { contextId, note: "Form B is done too." });
  expect(archivedId(again)).toBe(contextId);
  // The active context is not secret for a client that does not have it before its eyes.
  await call(one, "chat_context_load", { contextId });
  expect(await call(one, "chat_context_load", { query: "taxes" })).toMatchObject({ note: "Form B is done too." });
  expect(await call(one, "chat_context_list", {})).toMatchObject({ total: 1 });
});

test("[A7] loading gives back what was said, the newest of it where a client would cut the result", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("trip");
  const said = ["Plan a trip.", "x".repeat(40_000), "Where to?", "y".repeat(20_000)];
  await chat.append(said.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })));
  const client = await localClient(galley, "zed", "trip");
  const contextId = archivedId(await call(client, "chat_context_new", { note: "To Kyoto." }));
  const loaded = await call(client, "chat_context_load", { contextId });
  expect(loaded).toMatchObject({
    note: "To Kyoto.",
    omitted: 2,
    messages: [{ content: "Where to?" }, { role: "assistant" }],
  });
  const { contents } = await client.readResource({ uri: `galley://chat/trip/${contextId}` });
  expect(JSON.stringify(contents)).toContain("Plan a trip.");
  await chat.clearActive();
  await chat.append([
    { role: "user", content: "a" },
    { role: "assistant", content: "界".repeat(30_000) },
  ]);
  const long = archivedId(await call(client, "chat_context_new", { title: "Long" }));
  const cut = await call(client, "chat_context_load", { contextId: long });
  expect(cut).toMatchObject({
    omitted: 1,
    messages: [{ content: expect.stringMatching(/^界+ … \(14000 more/u) as string }],
  });
});

test("[A7] archives are resources, and a prompt resumes one of them", async () => {
  const galley = await galleyIn();
  const client = await localClient(galley, "cursor");
  await expect(client.getPrompt({ name: "resume_topic" })).rejects.toThrow("No topic was put away yet");
  const contextId = archivedId(await call(client, "chat_context_new", { title: "Taxes", note: "Form B is open." }));
  await call(client, "chat_context_new", { title: "Garden", note: "Plant beans." });
  const { resources } = await client.listResources();
  const uri = `galley://chat/agent%3Alocal/${contextId}`;
  expect(resources.find((resource) => resource.uri === uri)).toMatchObject({
    title: "Taxes",
    description: "Form B is open.",
  });
  const { contents } = await client.readResource({ uri });
  expect(contents).toMatchObject([
    { mimeType: "text/markdown", text: expect.stringContaining("## Note\n\nForm B") as string },
  ]);
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "resume_topic", title: "Go on with a topic" }]);
  const textOf = async (topic?: string): Promise<string> =>
    JSON.stringify(
      (await client.getPrompt({ name: "resume_topic", arguments: topic === undefined ? {} : { topic } })).messages,
    );
  expect(await textOf("form")).toContain("Form B is open.");
  expect(await textOf(contextId)).toContain("Form B is open.");
  expect(await textOf()).toContain("Plant beans.");
  const ref = { type: "ref/prompt", name: "resume_topic" } as const;
  const { completion } = await client.complete({ ref, argument: { name: "topic", value: "gar" } });
  expect(completion.values).toEqual(["Garden"]);
  const missing = [
    "galley://chat/agent%3Alocal/c_20260101_none",
    "galley://chat/other/x",
    "file:///etc/passwd",
    `${uri}/../x`,
  ];
  for (const wrong of missing)
    await expect(client.readResource({ uri: wrong })).rejects.toMatchObject({ code: -32_602 });
  await expect(client.getPrompt({ name: "other" })).rejects.toThrow("not found");
  await expect(client.getPrompt({ name: "resume_topic", arguments: { topic: "zebra" } })).rejects.toThrow("zebra");
});

test("[A7] every tool has a title, annotations and an output schema, and nothing is said that is not so", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  const client = await localClient(galley, "claude-code");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...chatNames, "delegate_async", "await_result"]),
  );
  expect(tools.filter(({ title, annotations, outputSchema }) => !title || !annotations || !outputSchema)).toEqual([]);
  expect(client.getInstructions()).toContain("None of them changes your own conversation");
  expect(JSON.stringify([client.getInstructions(), tools])).not.toMatch(/runs this session|canvas|start an empty one/);
  // The official client holds results to the output schemas that it was told.
  expect(await call(client, "ask_expert", { profile_name: "writer", question: "Why?" })).toMatchObject({
    status: "succeeded",
  });
  const forked = await call(client, "fork_join", {
    tasks: [{ target_strategy: "new", target_ref: "writer", instruction: "a" }],
  });
  expect(forked).toMatchObject({ status: "success" });
  expect(await call(client, "await_result", { batch_id: forked["batch_id"] })).toMatchObject({ status: "success" });
  expect(await call(client, "join", { batch_id: forked["batch_id"], max_tokens: 1000 })).toHaveProperty("box_id");
});

test("[T10, A7] the four tools of topics cost a client at most 300 tokens", async () => {
  const { tools: all } = await (await galleyIn()).toolsFor({ kind: "agent", name: "local" });
  const tools = all.filter(({ name }) => name.startsWith("chat_context_"));
  const account = tokenAccount(await tokenizerForModel("gpt-6.1-sol"));
  expect(tools.reduce((sum, tool) => sum + account.countTool(specOf(tool)), 0)).toBeLessThanOrEqual(300);
});

test("[A7] a client's recall goes through what was put away, and speaks of nothing that left a window which Galley does not know", async () => {
  const client = await localClient(await galleyIn(), "claude-code");
  const contextId = archivedId(
    await call(client, "chat_context_new", { title: "Taxes", note: "Form B needs kerosene." }),
  );
  const tool = (await client.listTools()).tools.find(({ name }) => name === "context_recall");
  const answers = [
    await call(client, "context_recall", { query: "kerosene" }),
    await call(client, "context_recall", { handle: `${contextId}§1` }),
    await call(client, "context_recall", { query: "petrol" }),
    await call(client, "context_recall", { handle: "§1" }),
  ].map(({ text }) => String(text));
  expect(answers[0]).toContain(`${contextId}§1 assistant: Form B needs kerosene.`);
  expect(answers[1]).toContain("Form B needs kerosene.");
  expect(answers[2]).toContain('Nothing that is kept here has "petrol".');
  expect([tool?.description, ...answers].join()).not.toMatch(/your context|context window/u);
});

test("[A7] handover is announced only where profiles exist and a model can run them", async () => {
  const keyless = { models: { default: "openai/gpt-5" } };
  const galley = await galleyIn(undefined, { config: keyless, environment: {} });
  await addProfile(galley, "writer", "You write.");
  const { tools } = await galley.toolsFor({ kind: "agent", name: "local" });
  expect(tools.map(({ name }) => name)).toEqual([...chatNames, "context_recall"]);
  const client = await localClient(galley, "claude-code");
  expect(client.getInstructions()).not.toContain("delegate_async");
});

test.each([
  { name: "chat_context_new", input: { note: "x".repeat(20_001) }, path: "note" },
  { name: "chat_context_new", input: { nte: "x" }, path: "nte" },
  { name: "chat_context_new", input: { contextId: "../../etc", note: "x" }, path: "contextId" },
  { name: "chat_context_new", input: { contextId: "c_20260101_none", note: "x" }, path: "contextId" },
  { name: "chat_context_load", input: {}, path: "query" },
  { name: "chat_context_load", input: { query: "x", mode: "all" }, path: "mode" },
  { name: "chat_context_load", input: { contextId: "c_20260101_none" }, path: "contextId" },
  { name: "chat_context_list", input: { limit: 0 }, path: "limit" },
  { name: "chat_context_clear_active", input: { all: true }, path: "all" },
])("[A7] $name refuses $path, and nothing is put away", async ({ name, input, path }) => {
  const client = await localClient(await galleyIn(), "claude-code");
  expect(await call(client, name, input)).toMatchObject({ isError: true, error: { path } });
  expect(await call(client, "chat_context_list", {})).toMatchObject({ total: 0 });
  expect(await call(client, "chat_context_new", {})).toMatchObject({ archived: null });
  expect(await call(client, "chat_context_load", { query: "x" })).toMatchObject({ loaded: null });
});

test("[A4, A7] over the daemon, a client may name its chat, and those who look on are told", async () => {
  const own = await testDaemon();
  const { galley } = own.daemon;
  const told: string[] = [];
  galley.events.on((event) => void told.push(JSON.stringify(event)));
  const client = await daemonClient(own, "codex", "?chat=trip");
  await call(client, "chat_context_new", { note: "Pack a rope." });
  expect((await (await galley.chats.open("trip")).listContexts()).total).toBe(1);
  expect((await (await galley.chats.open(clientChat)).listContexts()).total).toBe(0);
  expect(told.join()).toMatch(/chat:changed.*trip/);
  expect((await client.listResources()).resources).toMatchObject([{ description: "Pack a rope." }]);
});

test("[A7] a running daemon of the folder is used, in the name of the client; when it ends, this process goes on", async () => {
  const own = await testDaemon();
  await addProfile(own.daemon.galley, "writer", "You write.");
  let opened = 0;
  const hosts = folderHosts({
    dataFolder: own.data,
    open: async () => {
      opened += 1;
      const galley = await galleyIn(own.data);
      const { tools } = await galley.toolsFor({ kind: "agent", name: "local" });
      const session = localSession(tools, { chat: () => galley.chats.open(clientChat) });
      return { session, options: {}, close: async () => undefined };
    },
  });
  onTestFinished(() => hosts.close());
  const client = await connect(await mcpBridge(hosts), "claude-code");
  const contextId = archivedId(await call(client, "chat_context_new", { title: "Taxes", note: "Form A." }));
  await call(client, "ask_expert", { profile_name: "writer", question: "Why?" });
  const [task] = await own.daemon.galley.store.tasks.list(own.daemon.galley.project);
  expect([task?.details["startedBy"], opened]).toEqual(["mcp:claude-code", 0]);
  expect((await client.listResources()).resources).toMatchObject([{ title: "Taxes" }]);
  await own.daemon.close();
  expect(await call(client, "chat_context_load", { contextId })).toMatchObject({ note: "Form A." });
  expect((await client.getPrompt({ name: "resume_topic" })).messages).toHaveLength(1);
  expect(opened).toBe(1);
});
