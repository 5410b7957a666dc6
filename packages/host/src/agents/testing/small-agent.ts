// A small ACP agent on the official SDKs, run as a program of its own: it gives a model the tools of its MCP servers and
// runs what the model calls. What it does wrong on purpose is said in SMALL_AGENT, as words.
import { spawn } from "node:child_process";
import { closeSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentContext,
  type McpServer,
  type NewSessionRequest,
  type NewSessionResponse,
  agent,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk/unstable";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const does = new Set((process.env["SMALL_AGENT"] ?? "").split(" "));
const llmUrl = process.env["SMALL_AGENT_LLM"];

interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly client: Client;
}

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly [field: string]: unknown;
}

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Session {
  readonly tools: Tool[];
  readonly messages: Message[];
  connecting: Promise<void>;
}

const sessions = new Map<string, Session>();
let opened = 0;

async function connectServers(servers: readonly McpServer[], tools: Tool[]): Promise<void> {
  if (does.has("slow-tools")) await sleep(500);
  for (const server of servers) {
    const client = new Client({ name: "small-agent", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(transportTo(server));
    const { tools: found } = await client.listTools();
    tools.push(...found.map((tool) => ({ ...tool, client })));
  }
}

function transportTo(server: McpServer): StreamableHTTPClientTransport | StdioClientTransport {
  if ("url" in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
  }
  if (!("command" in server)) throw new Error("This agent knows stdio and HTTP only.");
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  const { PATH = "" } = process.env;
  return new StdioClientTransport({
    command: server.command,
    args: server.args,
    env: { PATH, ...env },
    stderr: "inherit",
  });
}

function beginSession({ mcpServers, systemPrompt }: NewSessionRequest): NewSessionResponse {
  const system = systemPrompt?.content.map((block) => ("text" in block ? block.text : "")).join("\n") ?? "";
  const session: Session = {
    tools: [],
    messages: system === "" ? [] : [{ role: "system", content: system }],
    connecting: Promise.resolve(),
  };
  session.connecting = connectServers(mcpServers, session.tools);
  // Like many agents, it answers before its servers are connected.
  session.connecting.catch(() => {});
  if (!does.has("one-session")) opened += 1;
  const sessionId = `small-${opened}`;
  if (!sessions.has(sessionId)) sessions.set(sessionId, session);
  return { sessionId, modes: { currentModeId: "plan", availableModes: modes } };
}

const modes = ["plan", "act"].map((id) => ({ id, name: id }));

async function runPrompt(text: string, sessionId: string, client: AgentContext): Promise<void> {
  const session = sessions.get(does.has("stay") ? "small-1" : sessionId);
  if (!session) throw new Error(`There is no session ${sessionId}.`);
  const { messages, connecting } = session;
  await connecting;
  messages.push({ role: "user", content: text });
  const say = (words: string): Promise<void> =>
    client.notify(methods.client.session.update, {
      sessionId: does.has("stay") ? "small-1" : sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
    });
  if (does.has("want-files")) return say(await wantFiles(text, sessionId, client));
  if (llmUrl === undefined) {
    // In pieces, so that whatever reads them has to put them together.
    for (const piece of tellSecrets(text).match(/[\s\S]{1,25}/g) ?? []) await say(piece);
    return undefined;
  }
  for (let step = 0; step < 5; step += 1) {
    const answer = await askModel(session);
    messages.push(answer);
    const calls = (answer["tool_calls"] ?? []) as readonly ToolCall[];
    if (calls.length === 0) return say(String(answer.content));
    for (const call of calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: await runTool(call, session, sessionId, client) });
    }
  }
}

async function askModel({ messages, tools }: Session): Promise<Message> {
  const response = await fetch(`${llmUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "local-1",
      messages,
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name: `mcp__galley__${name}`, description, parameters: inputSchema },
      })),
    }),
  });
  const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: Message }[] };
  return choices[0]?.message ?? { role: "assistant", content: "" };
}

async function runTool(
  { id, function: called }: ToolCall,
  { tools }: Session,
  sessionId: string,
  client: AgentContext,
): Promise<string> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: id, title: called.name, kind: "other", rawInput: JSON.parse(called.arguments) as unknown },
    options: [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
  if (outcome.outcome !== "selected" || outcome.optionId !== "yes") return "refused";
  const tool = tools.find(({ name }) => called.name.endsWith(name));
  const result = await tool?.client.callTool({
    name: tool.name,
    arguments: JSON.parse(called.arguments) as Record<string, unknown>,
  });
  return (result?.content ?? []).map((part) => ("text" in part ? part.text : "")).join("\n");
}

function tellSecrets(text: string): string {
  if (!does.has("tell-secrets")) return text;
  const { GALLEY_SESSION_TOKEN = "", PLANTED_KEY = "" } = process.env;
  if (text === "VARIABLES") return Object.keys(process.env).join(" ");
  return text.replaceAll("TOKEN", GALLEY_SESSION_TOKEN).replaceAll("PLANTED", PLANTED_KEY);
}

/** Asks the client for what agents may ask of editors: files to read and to write, and programs to run. */
async function wantFiles(path: string, sessionId: string, client: AgentContext): Promise<string> {
  const { fs, terminal } = methods.client;
  const asked = [
    client.request(fs.readTextFile, { sessionId, path }),
    client.request(fs.writeTextFile, { sessionId, path, content: "written by the agent" }),
    client.request(terminal.create, { sessionId, command: "touch", args: [path] }),
  ];
  const answers = await Promise.allSettled(asked);
  return answers.map(({ status }) => (status === "fulfilled" ? "given" : "refused")).join(" ");
}

/** Does nothing for ever; a test that has to know that it has come to this looks into a file. */
function hang(where: string): Promise<never> {
  const { SMALL_AGENT_PID: file } = process.env;
  if (file !== undefined) writeFileSync(file, `${process.pid} ${where}`);
  return new Promise(() => {});
}

function misbehave(): void {
  if (does.has("chatter")) process.stdout.write('npm warn something\n[1, 2]\n"text"\n{"jsonrpc":"2.0","id":99}\n\n');
  if (does.has("exit-at-once")) process.exit(3);
  if (does.has("tell-secrets")) process.stderr.write(`${tellSecrets("I know TOKEN and PLANTED.")}\n`);
  if (does.has("leave-child")) spawn("sleep", ["1000"], { stdio: "ignore" });
  if (does.has("leave-stubborn-child")) spawn("sh", ["-c", "trap '' TERM; sleep 1000"], { stdio: "ignore" });
  if (does.has("ignore-end")) {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  }
}

misbehave();
/** What the client has asked for, besides prompts. */
const told: string[] = [];
const cancelled = Promise.withResolvers<void>();
const capabilities = {
  mcpCapabilities: { http: !does.has("no-http"), sse: false },
  sessionCapabilities: { close: {}, ...(does.has("no-system-prompt") ? {} : { systemPrompt: {} }) },
};
agent({ name: "small-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: capabilities,
    agentInfo: { name: "small-agent", version: "1.0.0" },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (does.has("hang-at-start")) return hang("hang-at-start");
    if (does.has("refuse-second") && sessions.size > 0) throw new Error("One session is enough.");
    return beginSession(params);
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    told.push(`mode ${params.sessionId} ${params.modeId}`);
    return {};
  })
  .onRequest(methods.agent.session.close, ({ params }) => {
    told.push(`close ${params.sessionId}`);
    if (!does.has("stay")) sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    if (does.has("die-on-prompt")) process.exit(7);
    if (does.has("hang-on-prompt")) await hang("hang-on-prompt");
    if (does.has("wait-for-cancel")) {
      await cancelled.promise;
      return { stopReason: "cancelled" as const };
    }
    if (does.has("close-output")) closeSync(1);
    if (does.has("flood")) process.stdout.write("x".repeat(40 * 1024 * 1024));
    const text = params.prompt.map((block) => ("text" in block ? block.text : "")).join("\n");
    if (text.endsWith("WHAT WERE YOU TOLD?")) {
      const content = { type: "text" as const, text: told.join("; ") };
      const update = { sessionUpdate: "agent_message_chunk" as const, content };
      await client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
      return { stopReason: "end_turn" as const };
    }
    if (text.endsWith("ACT")) {
      const update = { sessionUpdate: "current_mode_update" as const, currentModeId: "act" };
      await client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
    }
    await runPrompt(text, params.sessionId, client);
    return { stopReason: "end_turn" as const };
  })
  .onNotification("*", ({ method }) => {
    if (method === methods.agent.session.cancel) cancelled.resolve();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
if (!does.has("ignore-end")) process.stdin.once("close", () => process.exit(0));
