import { Readable, Writable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import {
  type ClientConnection,
  type InitializeResponse,
  PROTOCOL_VERSION,
  client,
  methods,
  ndJsonStream,
  type ClientContext,
  RequestError,
  type AgentCapabilities,
  type McpServer,
  type AnyMessage,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import * as z from "zod";
import {
  type AcpMcpServer,
  type AcpMcpServerHttp,
  type AcpMcpServerStdio,
  isHttpServer,
} from "../config/providers/acp-mcp-server.ts";
import type { AcpConnection, OpenSession } from "./acp-connection.ts";
import type { PromptRules } from "./acp-prompt.ts";
import type { AgentProcess, AgentProcessOptions } from "./agent-process.ts";
import { readChoices, restoreChoices } from "./session-choices.ts";
import type { SystemTextWay } from "./system-text-delivery.ts";
import { GalleyError } from "@galley/engine";

/** What a session over ACP is opened with. */
export interface ConnectOptions extends Omit<AgentProcessOptions, "limits">, PromptRules {
  readonly mcpServers: readonly AcpMcpServer[];
  readonly systemContextAdditions: readonly string[];
  /** How the system text was given with the launch; if it was not, the session or the first prompt takes it. */
  readonly launchWay?: SystemTextWay | undefined;
  /** Our own tools, in both forms: the agent gets the one that it can use. */
  readonly toolServer?: ToolServer | undefined;
  /** Ends the agent, and with it a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

// `connect`, not `connectWith`: that one ends the streams when its function returns, and agents die of it.
export function speakAcp({ stdin, stdout }: AgentProcess, owner: AcpConnection): ClientConnection {
  return client({ name: "galley" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => owner.permit(params))
    .onNotification(methods.client.session.update, ({ params }) => owner.take(params))
    .onNotification("*", () => {})
    .connect(guardedStream(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>)));
}

/** What of a session is another one for each session of the same process. */
export type SessionOptions = Pick<
  ConnectOptions,
  "cwd" | "env" | "mcpServers" | "toolServer" | "launchWay" | "systemContextAdditions"
>;

export async function openSession(connection: AcpConnection, options: SessionOptions): Promise<OpenSession> {
  const { agent } = connection;
  const initialized: InitializeResponse = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "galley", version: "0.1.0" },
  });
  checkVersion(initialized);
  return newSession(agent, initialized, options);
}

/** Opens another session in the same process, with the mode and the options of the one before; that one is closed [A6]. */
export async function nextSession(
  { agent }: Pick<AcpConnection, "agent">,
  before: OpenSession,
  options: SessionOptions,
): Promise<OpenSession> {
  const { initialized } = before;
  const opened = await newSession(agent, initialized, options);
  if (opened.sessionId === before.sessionId) throw new Error("it gave the session that it had already");
  await restoreChoices(agent, opened, before.choices);
  if (initialized.agentCapabilities?.sessionCapabilities?.close)
    agent.request(methods.agent.session.close, { sessionId: before.sessionId }).catch(() => {});
  return { ...opened, choices: before.choices };
}

async function newSession(
  agent: ClientContext,
  initialized: InitializeResponse,
  { cwd, env, mcpServers, toolServer, launchWay, systemContextAdditions }: SessionOptions,
): Promise<OpenSession> {
  const capabilities = initialized.agentCapabilities ?? {};
  const { servers, left } = sessionServers(mcpServers, toolServer, capabilities);
  const text = systemContextAdditions.join("\n\n");
  const way = launchWay ?? (capabilities.sessionCapabilities?.systemPrompt ? "session" : "first-prompt");
  const isToldSession = way === "session" && text !== "";
  const opened: unknown = await authenticated(agent, initialized, env, () =>
    agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: servers,
      ...(isToldSession ? { systemPrompt: { mode: "append", content: [{ type: "text", text }] } } : {}),
    }),
  );
  return {
    sessionId: readSession(opened),
    initialized,
    choices: readChoices(opened),
    systemTextWay: way,
    firstPromptText: way === "first-prompt" ? text : "",
    leftServers: left,
  };
}

/** An agent answers with the version that it speaks; in another one every message may mean something else. */
function checkVersion(initialized: unknown): void {
  const { data } = z.looseObject({ protocolVersion: z.int() }).safeParse(initialized);
  if (data?.protocolVersion === PROTOCOL_VERSION) return;
  const version = data ? `version ${data.protocolVersion} of ACP` : "no ACP";
  throw new Error(`it speaks ${version}, and Galley speaks version ${PROTOCOL_VERSION}`);
}

function readSession(opened: unknown): string {
  const { data } = z.looseObject({ sessionId: z.string().min(1).max(1000) }).safeParse(opened);
  if (data) return data.sessionId;
  throw new Error("it opened no session that has an id");
}

/** ACP's code for "authenticate first". */
const authRequired = -32_000;

/** Ways to authenticate without a person at the keyboard, and the variable that makes each possible. */
const keyMethods: readonly { readonly variable: string; readonly methodId: string }[] = [
  { variable: "GEMINI_API_KEY", methodId: "gemini-api-key" },
  { variable: "OPENAI_API_KEY", methodId: "openai" },
];

/** Runs a request; if the agent wants to be authenticated first and a key is at hand, does that and runs it again. */
async function authenticated<Answer>(
  agent: ClientContext,
  { authMethods = [] }: InitializeResponse,
  env: Readonly<Record<string, string>>,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof RequestError) || cause.code !== authRequired) throw cause;
    const offered = authMethods?.map(({ id }) => id) ?? [];
    const method = keyMethods.find(({ variable, methodId }) => env[variable] && offered.includes(methodId));
    if (!method) {
      throw new GalleyError("AgentFailed", "The agent wants to be logged in first.", {
        hint: `Log in with its own command, or give it a key in \`env\`. It offers: ${offered.join(", ") || "nothing"}.`,
        cause,
      });
    }
    await agent.request(methods.agent.authenticate, { methodId: method.methodId });
    return run();
  }
}

/** The same server in both of its forms, for agents that know only one of them. */
export interface ToolServer {
  readonly http: AcpMcpServerHttp;
  readonly stdio: AcpMcpServerStdio;
}

/** The servers as `session/new` wants them, ours first, as far as the agent can reach them; and the names of the others. */
function sessionServers(
  servers: readonly AcpMcpServer[],
  own: ToolServer | undefined,
  { mcpCapabilities }: AgentCapabilities,
): { readonly servers: McpServer[]; readonly left: readonly string[] } {
  const ours = own && (mcpCapabilities?.http ? own.http : own.stdio);
  const all = [...(ours ? [ours] : []), ...servers.filter(({ name }) => name !== ours?.name)];
  const isReachable = (server: AcpMcpServer): boolean =>
    !isHttpServer(server) || mcpCapabilities?.[server.type] === true;
  return {
    servers: all.filter(isReachable).map(wireForm),
    left: all.filter((server) => !isReachable(server)).map(({ name }) => name),
  };
}

/** ACP refuses a stdio server without `args` and `env`. */
function wireForm(server: AcpMcpServer): McpServer {
  if (!isHttpServer(server)) {
    const { name, command, args, env = [] } = server;
    return { name, command, args: [...args], env: [...env] };
  }
  const { type, name, url, headers } = server;
  return { type, name, url, headers: [...headers] };
}

/** How many messages of an agent may wait for their answers. */
const maxOpen = 1000;

/**
 * The same stream, which breaks when the other side asks on and on: what it has asked is held until it is answered, and
 * answers are held until it reads them. Answers without a request are not let through: the SDK would print what they say.
 */
function guardedStream({ readable, writable }: Stream): Stream {
  let open = 0;
  const asked = new Set<unknown>();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const kind = kindOf(message);
      if (kind === "answer" && !("id" in message && asked.delete(message.id))) return;
      // It answers nonsense too, and with a copy of it.
      if (kind === "request" || kind === "nonsense") open += 1;
      if (open > maxOpen) controller.error(new Error(`it left more than ${maxOpen} answers to its messages unread`));
      else controller.enqueue(message);
    },
  });
  const writer = writable.getWriter();
  return {
    readable: readable.pipeThrough(incoming),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        if ("method" in message && "id" in message) asked.add(message.id);
        await writer.write(message);
        if (!("method" in message)) open -= 1;
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

/** As the SDK tells them apart. */
function kindOf(message: object): "request" | "notification" | "answer" | "nonsense" {
  const { jsonrpc, method }: Readonly<Record<string, unknown>> = { ...message };
  if (!("method" in message)) {
    return "id" in message || "result" in message || "error" in message ? "answer" : "nonsense";
  }
  if (jsonrpc !== "2.0" || typeof method !== "string") return "nonsense";
  return "id" in message ? "request" : "notification";
}
