import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentEnvironment } from "../inject/agent-injector.ts";
import { type AgentDeclaration, metaOf } from "../config/config-schema.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import type { HookEventBus } from "../inject/session/hook-event-bus.ts";
import { inheritedEnvironment } from "./inherited-environment.ts";
import { isHttpServer } from "../config/providers/mcp-server.ts";
import type { ActantToolDefinition } from "../config/providers/tool-definition.ts";
import type { TimeLimits } from "../config/limits-schema.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { addArguments, addSecretsOf, addServerSecrets } from "../secrets/secret-values.ts";
import type { SessionContextInjector } from "../inject/session-context-injector.ts";
import type { SessionContext } from "../inject/session/session-context.ts";
import type { SessionTokenStore } from "../inject/session/session-token-store.ts";
import { type TokenDelivery, tokenVariable } from "../inject/session/tool-instructions.ts";
import { maxDelayMs } from "../limits/with-timeout.ts";
import type { AcpConnection } from "./acp-connection.ts";
import type { AcpConnectionManager } from "./acp-connection-manager.ts";
import type { ToolServer } from "./acp-open-session.ts";
import type { AskPermission, PermissionPolicy } from "./permission-policy.ts";
import { noteRunningAgent } from "./running-agents.ts";
import { systemTextLaunch } from "./system-text-delivery.ts";

/** Where agents reach our own tools. */
export interface ToolGateway {
  /** The address of the MCP server. */
  readonly url: string;
  /** What starts a bridge to it for agents that know no HTTP: a program and its arguments. */
  readonly bridge: readonly [command: string, ...args: string[]];
  /** Opens a session's tools, those and no others. */
  grant(sessionId: string, tools: readonly ActantToolDefinition[]): void;
  whenListed(sessionId: string, milliseconds: number): Promise<boolean>;
  forget(sessionId: string): void;
}

/** What every session of every agent shares. */
export interface AgentRuntime {
  /** Where agents work that name no folder; relative ones are seen from here. */
  readonly folder: string;
  readonly dataFolder: string;
  /** For the files of sessions, which go with them; the system's own if absent. */
  readonly tempFolder?: string;
  readonly environment: Environment;
  /** Says what an agent's sessions get. Of its tools, those reach the agent that something can run [T2]. */
  readonly injectorFor: (agent: AgentDeclaration) => SessionContextInjector;
  readonly tokenStore: SessionTokenStore;
  readonly eventBus: HookEventBus;
  readonly redactor: Redactor;
  readonly connections: AcpConnectionManager;
  /** Without one, agents are told of tools but reach them only by other means. */
  readonly gateway?: ToolGateway;
  readonly ask?: AskPermission | undefined;
  readonly limits: TimeLimits;
}

/** One run of an agent, from its token to the removal of its files. */
export interface AgentSession {
  readonly sessionId: string;
  readonly connection: AcpConnection;
  readonly context: SessionContext;
  /** Whether the agent has listed our tools; some do so only when they are prompted. */
  readonly hasListedTools: boolean;
  readonly cwd: string;
  /** Ends the process, the token and the files. May be called again. */
  end(): Promise<void>;
}

/** The variable that tells programs which the agent starts where our tools are. */
export const urlVariable = "GALLEY_MCP_URL";
/** The name under which agents know our own tools. */
const serverName = "galley";
const settleMs = 50;

/** Prepares, starts and connects an agent; when any of it fails, nothing of it is left [I9]. */
export async function openAgentSession(
  runtime: AgentRuntime,
  agent: AgentDeclaration,
  signal?: AbortSignal,
): Promise<AgentSession> {
  const sessionId = randomUUID();
  const folder = await mkdtemp(join(runtime.tempFolder ?? tmpdir(), "galley-session-"));
  let connection: AcpConnection | undefined;
  let removeNote = async (): Promise<void> => {};
  let renewing: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearInterval(renewing);
    runtime.tokenStore.revokeSession(agent.name, sessionId);
    if (connection) await runtime.connections.disconnect(connection);
    await removeNote();
    runtime.gateway?.forget(sessionId);
    await rm(folder, { recursive: true, force: true }).catch((cause: NodeJS.ErrnoException) => {
      // An agent may leave what cannot be removed; its end must not fail over that.
      const data = { folder, reason: cause.code ?? cause.message };
      runtime.eventBus.emit("session:files-left", { agentName: agent.name, data, callerId: sessionId });
    });
  };
  try {
    // Before anything else: these values are redacted from here on.
    const env = sessionEnvironment(runtime, agent);
    const injector = runtime.injectorFor(agent);
    injector.setEventBus(runtime.eventBus);
    injector.setTokenStore(runtime.tokenStore);
    const tokenDelivery = tokenDeliveryOf(agent, runtime.gateway !== undefined);
    const runnableOnly = runtime.gateway !== undefined;
    const context = await injector.prepare(agent.name, metaOf(agent), sessionId, { tokenDelivery, runnableOnly });
    renewing = keepToken(runtime.tokenStore, context.token);
    grantTools(runtime, agent, context);
    const cwd = await workspaceOf(runtime, agent, folder);
    connection = await connect(runtime, agent, { context, cwd, folder, env, signal });
    removeNote = await noteRunningAgent(runtime.dataFolder, { name: agent.name, sessionId, pid: connection.pid });
    // One that ends before it has listed them will list them no more.
    const ended = connection.exited.then(() => false);
    const hasListedTools = await Promise.race([waitForTools(runtime, agent, context), ended]);
    return { sessionId, connection, context, hasListedTools, cwd, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A token ends with its session, not before: an agent may run for weeks. It is made to last as long as this process does. */
function keepToken(tokenStore: SessionTokenStore, token: string): NodeJS.Timeout {
  const milliseconds = Math.min(tokenStore.timeToLiveMs / 3, maxDelayMs);
  return setInterval(() => tokenStore.renew(token), milliseconds).unref();
}

interface Prepared {
  readonly context: SessionContext;
  readonly cwd: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

async function connect(runtime: AgentRuntime, agent: AgentDeclaration, prepared: Prepared): Promise<AcpConnection> {
  const { context, cwd, folder, signal } = prepared;
  const { redactor, gateway, connections, ask, limits } = runtime;
  const env = {
    ...prepared.env,
    [tokenVariable]: context.token,
    ...(gateway ? { [urlVariable]: gateway.url } : {}),
  };
  addServerSecrets(redactor, context.mcpServers);
  for (const server of context.mcpServers) redactor.addAll(isHttpServer(server) ? server.headers : (server.env ?? []));
  const text = context.systemContextAdditions.join("\n\n");
  const launch = await systemTextLaunch(agent.backendType, text, { folder, env });
  return connections.connect({
    agentName: agent.name,
    command: agent.command,
    args: [...agent.args, ...(launch?.args ?? [])],
    cwd,
    env: { ...env, ...launch?.env },
    mcpServers: context.mcpServers,
    systemContextAdditions: context.systemContextAdditions,
    serverName,
    permissions: policyOf(agent, context),
    onDecision: ({ title, kind, toolNames }, isAllowed) => {
      // Agents write titles and names; the log of a daemon is no place for all that one may say. Redacted before it is
      // cut: half a secret is not found any more.
      const short = (text: string): string => redactor.redact(text).slice(0, 200);
      const data = { title: short(title), kind, toolNames: toolNames.slice(0, 10).map(short), isAllowed };
      runtime.eventBus.emit("permission:decided", { agentName: agent.name, data, callerId: context.sessionId });
    },
    redactor,
    limits,
    launchWay: launch?.way,
    toolServer: gateway && context.tools.length > 0 ? toolServer(gateway, context.token) : undefined,
    ask,
    signal,
  });
}

/** How a session learns its token: where it reaches our tools over MCP, the text need not say it [I6]. */
export function tokenDeliveryOf({ tokenDelivery }: AgentDeclaration, hasGateway: boolean): TokenDelivery {
  return tokenDelivery ?? (hasGateway ? "env" : "prompt");
}

/** What the agent gets of Galley's environment, and its own variables. What may be a secret in them is masked from now on. */
export function sessionEnvironment(
  { environment, redactor }: Pick<AgentRuntime, "environment" | "redactor">,
  agent: AgentDeclaration,
): Record<string, string> {
  addSecretsOf(environment, redactor);
  addArguments(redactor, `${agent.name}.args`, [agent.command, ...agent.args]);
  return { ...inheritedEnvironment(environment, agent), ...agentEnvironment(agent, { redactor, environment }) };
}

function grantTools({ gateway, eventBus }: AgentRuntime, agent: AgentDeclaration, context: SessionContext): void {
  gateway?.grant(context.sessionId, context.tools);
  for (const { name: tool, rule } of context.hidden) {
    if (rule !== "not-runnable") continue;
    eventBus.emit("tool:unserved", { agentName: agent.name, data: { tool }, callerId: context.sessionId });
  }
}

/** The project, unless another folder is named; or a folder of the session's own, which goes with it. */
async function workspaceOf({ folder }: AgentRuntime, agent: AgentDeclaration, own: string): Promise<string> {
  if (agent.workspacePolicy === "persistent") return resolve(folder, agent.cwd ?? ".");
  const workspace = join(own, "workspace");
  await mkdir(workspace);
  return workspace;
}

/** Our own tools pass always: they check the token themselves, and the agent has been given them on purpose. */
function policyOf({ permissions }: AgentDeclaration, { tools }: SessionContext): PermissionPolicy {
  const own = tools.map(({ name }) => name);
  if (typeof permissions === "string") return { allow: [], own, otherwise: permissions };
  return { allow: permissions.allow, own, otherwise: "deny" };
}

/** Our own MCP server as agents are told of it, in both of its forms. */
export function toolServer({ url, bridge }: Pick<ToolGateway, "url" | "bridge">, token: string): ToolServer {
  const [command, ...args] = bridge;
  const env = [
    { name: tokenVariable, value: token },
    { name: urlVariable, value: url },
  ];
  return {
    http: { type: "http", name: serverName, url, headers: [{ name: "Authorization", value: `Bearer ${token}` }] },
    stdio: { name: serverName, command, args, env },
  };
}

async function waitForTools(runtime: AgentRuntime, agent: AgentDeclaration, context: SessionContext): Promise<boolean> {
  if (!runtime.gateway || context.tools.length === 0) return false;
  const hasListed = await runtime.gateway.whenListed(context.sessionId, runtime.limits.agentListingMs);
  // The list has been sent; an agent that is prompted in the same moment may not have read it yet.
  if (hasListed) await sleep(settleMs);
  else runtime.eventBus.emit("agent:tools-unseen", { agentName: agent.name, callerId: context.sessionId });
  return hasListed;
}
