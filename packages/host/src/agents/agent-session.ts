import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentEnvironment } from "../inject/agent-injector.ts";
import { type AgentDeclaration, metaOf } from "../config/config-schema.ts";
import { inheritedEnvironment } from "./inherited-environment.ts";
import { addArguments, addGivenServers, addSecretsOf } from "../secrets/secret-values.ts";
import type { SessionContext } from "../inject/session/session-context.ts";
import type { SessionTokenStore } from "../inject/session/session-token-store.ts";
import { type TokenDelivery, tokenVariable } from "../inject/session/tool-instructions.ts";
import { maxDelayMs } from "../limits/with-timeout.ts";
import type { AcpConnection } from "./acp-connection.ts";
import type { ConnectOptions, ToolServer } from "./acp-open-session.ts";
import type { AgentRuntime, ToolGateway } from "./agent-runtime.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import { noteRunningAgent } from "./running-agents.ts";
import { systemTextLaunch } from "./system-text-delivery.ts";

/** One run of an agent, from its token to the removal of its files. */
export interface AgentSession {
  /** Of the session that is open now: each has a token of its own. */
  readonly sessionId: string;
  readonly connection: AcpConnection;
  readonly context: SessionContext;
  /** Whether the agent has listed our tools; some do so only when they are prompted. */
  readonly hasListedTools: boolean;
  readonly cwd: string;
  /**
   * Opens another session in the same process and leaves the present one, whose token is good for nothing from then on [A6].
   * After an error the present one is as it was.
   */
  renew(): Promise<void>;
  /** Ends the process, the tokens and the files. May be called again. */
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
  const { tokenStore, gateway, eventBus } = runtime;
  const processId = randomUUID();
  const folder = await mkdtemp(join(runtime.tempFolder ?? tmpdir(), "galley-session-"));
  let connection: AcpConnection | undefined;
  let context: SessionContext | undefined;
  let removeNote = async (): Promise<void> => {};
  let renewing: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearInterval(renewing);
    const ids = [processId, ...(context ? [context.sessionId] : [])];
    for (const id of ids) tokenStore.revokeSession(agent.name, id);
    if (connection) await runtime.connections.disconnect(connection);
    await removeNote();
    for (const id of ids) gateway?.forget(id);
    await rm(folder, { recursive: true, force: true }).catch((cause: NodeJS.ErrnoException) => {
      // An agent may leave what cannot be removed; its end must not fail over that.
      const data = { folder, reason: cause.code ?? cause.message };
      eventBus.emit("session:files-left", { agentName: agent.name, data, callerId: processId });
    });
  };
  try {
    // Before anything else: these values are redacted from here on.
    const env = sessionEnvironment(runtime, agent);
    const first = await prepareContext(runtime, agent);
    context = first;
    // What programs find in their variables that the agent starts: it is good for as long as the process runs.
    const token = tokenStore.generate(agent.name, processId);
    gateway?.grant(processId, first.tools);
    const cwd = await workspaceOf(runtime, agent, folder);
    const launch = await launchOf(runtime, agent, { context: first, cwd, folder, env, token });
    const opened = await runtime.connections.connect({ ...launch, ...sessionParts(runtime, first), signal });
    connection = opened;
    removeNote = await noteRunningAgent(runtime.dataFolder, { ...first, name: agent.name, pid: opened.pid });
    renewing = keepTokens(tokenStore, () => [token, context?.token ?? token]);
    const session: Mutable<AgentSession> = {
      sessionId: first.sessionId,
      connection: opened,
      context: first,
      hasListedTools: await waitForTools(runtime, agent, first, opened),
      cwd,
      async renew() {
        const left = session.context;
        context = await renewSession(runtime, agent, opened, launch);
        tokenStore.revokeSession(agent.name, left.sessionId);
        gateway?.forget(left.sessionId);
        Object.assign(session, { context, sessionId: context.sessionId });
        session.hasListedTools = await waitForTools(runtime, agent, context, opened);
      },
      end,
    };
    return session;
  } catch (error) {
    await end();
    throw error;
  }
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** What a session of the agent gets, under a token of its own. */
async function prepareContext(runtime: AgentRuntime, agent: AgentDeclaration): Promise<SessionContext> {
  const { tokenStore, eventBus, gateway, redactor } = runtime;
  const injector = runtime.injectorFor(agent);
  injector.setEventBus(eventBus);
  injector.setTokenStore(tokenStore);
  const tokenDelivery = tokenDeliveryOf(agent, gateway !== undefined);
  const options = { tokenDelivery, runnableOnly: gateway !== undefined };
  const context = await injector.prepare(agent.name, metaOf(agent), randomUUID(), options);
  grantTools(runtime, agent, context);
  addGivenServers(redactor, context.mcpServers);
  return context;
}

/** Opens another session in the process; after an error nothing of it is left. */
async function renewSession(
  runtime: AgentRuntime,
  agent: AgentDeclaration,
  connection: AcpConnection,
  launch: Launched,
): Promise<SessionContext> {
  const context = await prepareContext(runtime, agent);
  try {
    await runtime.connections.renew(connection, { ...launch, ...sessionParts(runtime, context) });
    return context;
  } catch (error) {
    runtime.tokenStore.revokeSession(agent.name, context.sessionId);
    runtime.gateway?.forget(context.sessionId);
    throw error;
  }
}

/** Tokens end with what they are for, not before: an agent may run for weeks. They last as long as this process does. */
function keepTokens(tokenStore: SessionTokenStore, tokens: () => readonly string[]): NodeJS.Timeout {
  const milliseconds = Math.min(tokenStore.timeToLiveMs / 3, maxDelayMs);
  return setInterval(() => tokens().forEach((token) => tokenStore.renew(token)), milliseconds).unref();
}

interface Prepared {
  readonly context: SessionContext;
  readonly cwd: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
}

type Launched = Omit<ConnectOptions, keyof SessionParts | "signal">;
type SessionParts = Pick<ConnectOptions, "mcpServers" | "systemContextAdditions" | "toolServer">;

/** What is another one for each session of a process. */
function sessionParts({ gateway }: AgentRuntime, context: SessionContext): SessionParts {
  return {
    mcpServers: context.mcpServers,
    systemContextAdditions: context.systemContextAdditions,
    toolServer: gateway && context.tools.length > 0 ? toolServer(gateway, context.token) : undefined,
  };
}

/** What stays the same for all sessions of a process. */
async function launchOf(runtime: AgentRuntime, agent: AgentDeclaration, prepared: Prepared): Promise<Launched> {
  const { context, cwd, folder, token } = prepared;
  const { redactor, gateway, ask, limits } = runtime;
  const env = {
    ...prepared.env,
    [tokenVariable]: token,
    ...(gateway ? { [urlVariable]: gateway.url } : {}),
  };
  const text = context.systemContextAdditions.join("\n\n");
  const launch = await systemTextLaunch(agent.backendType, text, { folder, env });
  return {
    agentName: agent.name,
    command: agent.command,
    args: [...agent.args, ...(launch?.args ?? [])],
    cwd,
    env: { ...env, ...launch?.env },
    serverName,
    permissions: policyOf(agent, context),
    onDecision: ({ title, kind, toolNames }, isAllowed) => {
      // Agents write titles and names; the log of a daemon must not hold everything an agent may say. Redacted before it is
      // cut: half a secret is not found any more.
      const short = (text: string): string => redactor.redact(text).slice(0, 200);
      const data = { title: short(title), kind, toolNames: toolNames.slice(0, 10).map(short), isAllowed };
      runtime.eventBus.emit("permission:decided", { agentName: agent.name, data, callerId: context.sessionId });
    },
    redactor,
    limits,
    launchWay: launch?.way,
    ask,
  };
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

async function waitForTools(
  runtime: AgentRuntime,
  agent: AgentDeclaration,
  context: SessionContext,
  { exited }: AcpConnection,
): Promise<boolean> {
  if (!runtime.gateway || context.tools.length === 0) return false;
  // One that ends before it has listed them will list them no more.
  const ended = exited.then(() => false);
  const listed = runtime.gateway.whenListed(context.sessionId, runtime.limits.agentListingMs);
  const hasListed = await Promise.race([listed, ended]);
  // The list has been sent; an agent that is prompted in the same moment may not have read it yet.
  if (hasListed) await sleep(settleMs);
  else runtime.eventBus.emit("agent:tools-unseen", { agentName: agent.name, callerId: context.sessionId });
  return hasListed;
}
