import { Readable, Writable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import {
  type ClientConnection,
  type InitializeResponse,
  PROTOCOL_VERSION,
  client,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk/unstable";
import * as z from "zod";
import type { AcpMcpServer } from "../config/providers/mcp-server.ts";
import { authenticated } from "./acp-authenticate.ts";
import type { AcpConnection, OpenSession } from "./acp-connection.ts";
import { type ToolServer, sessionServers } from "./acp-servers.ts";
import type { PromptRules } from "./acp-prompt.ts";
import type { AgentProcess, AgentProcessOptions } from "./agent-process.ts";
import { guardedStream } from "./limit-pending-requests.ts";
import type { SystemTextWay } from "./system-text-delivery.ts";

/** What a session over ACP is opened with. */
export interface ConnectOptions extends Omit<AgentProcessOptions, "limits">, PromptRules {
  readonly mcpServers: readonly AcpMcpServer[];
  readonly systemContextAdditions: readonly string[];
  /** How the system text was given with the launch; if it was not, the session or the first prompt takes it. */
  readonly launchWay?: SystemTextWay;
  /** Our own tools, in both forms: the agent gets the one that it can use. */
  readonly toolServer?: ToolServer;
  /** Ends the agent, and with it a start that is under way. */
  readonly signal?: AbortSignal;
}

// `connect`, not `connectWith`: that one ends the streams when its function returns, and agents die of it.
export function speakAcp({ stdin, stdout }: AgentProcess, owner: AcpConnection): ClientConnection {
  return client({ name: "galley" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => owner.permit(params))
    .onNotification(methods.client.session.update, ({ params }) => owner.take(params))
    .onNotification("*", () => {})
    .connect(guardedStream(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>)));
}

export async function openSession(connection: AcpConnection, options: ConnectOptions): Promise<OpenSession> {
  const { cwd, env, mcpServers, toolServer, launchWay, systemContextAdditions } = options;
  const { agent } = connection;
  const initialized: InitializeResponse = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "galley", version: "0.1.0" },
  });
  checkVersion(initialized);
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
    agentInfo: initialized.agentInfo ?? undefined,
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
