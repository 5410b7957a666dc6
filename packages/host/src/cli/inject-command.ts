import { resolve } from "node:path";
import { type Tokenizer, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { sessionEnvironment, tokenDeliveryOf, toolServer } from "../agent/agent-session.ts";
import { projectInjector, projectTools } from "../daemon/project-tools.ts";
import { type AgentDeclaration, metaOf } from "../inject/config-schema.ts";
import { HookEventBus } from "../inject/hook-event-bus.ts";
import { type LoadedConfig, agentNamed, loadConfig } from "../inject/load-config.ts";
import { type AcpMcpServer, isHttpServer } from "../inject/mcp-server.ts";
import { Redactor } from "../inject/redactor.ts";
import type { HiddenItem, SessionContext } from "../inject/session-context.ts";
import { SessionTokenStore } from "../inject/session-token-store.ts";
import { type AgentFlags, addAgentFlags } from "./agent-flags.ts";
import { toJson } from "./build-command.ts";
import { configHelp } from "./config-help.ts";
import { type InjectDocument, injectText } from "./inject-text.ts";
import type { Terminal } from "./terminal.ts";

interface ShowFlags extends AgentFlags {
  readonly model?: string;
}

/** Where our own server will be is known when an agent starts; and who knows no HTTP starts the command instead. */
const gateway = { url: "http://127.0.0.1:PORT/mcp", bridge: ["galley", "mcp"] } as const;

/** `galley inject show`: what a session of an agent would get, without starting one. */
export function addInjectCommand(program: Command, terminal: Terminal): void {
  const inject = program
    .command("inject")
    .summary("show what the sessions of an agent are given")
    .addHelpText("after", configHelp);
  const show = inject
    .command("show")
    .argument("<name>", "an agent of the configuration")
    .description(
      "Shows what a new session of the agent would get: servers, tools, system text and its size, and what is hidden or " +
        "missing and why. Nothing is started; tokens and values of the environment are never shown.",
    );
  addAgentFlags(show)
    .option("-m, --model <id>", "whose tokenizer counts")
    .option("--json", "print one JSON document")
    .action(async (name: string, flags: ShowFlags) => {
      const config = await loadConfig(flags.config);
      const agent = agentNamed(config, name);
      const redactor = new Redactor();
      const tokenizer = await tokenizerForModel(flags.model);
      const given = await previewSession(config, agent, resolve(flags.data), redactor);
      const document = redactor.redact(injectDocument(agent, given, tokenizer));
      terminal.out(flags.json ? toJson(document) : injectText(document, terminal));
    });
}

interface Preview {
  readonly context: SessionContext;
  /** Our own server among those of the context. */
  readonly own?: AcpMcpServer;
  /** The names of the tools that can be called; providers may speak of others. */
  readonly served: ReadonlySet<string>;
}

/** The same steps as those of a start, without the start. */
async function previewSession(
  config: LoadedConfig,
  agent: AgentDeclaration,
  dataFolder: string,
  redactor: Redactor,
): Promise<Preview> {
  const tokens = new SessionTokenStore();
  redactor.watch(tokens);
  sessionEnvironment({ environment: process.env, redactor }, agent);
  const tools = await projectTools({ dataFolder, eventBus: new HookEventBus(), redactor, config });
  const injector = projectInjector(config, agent, tools, redactor);
  injector.setTokenStore(tokens);
  const tokenDelivery = tokenDeliveryOf(agent, true);
  const context = await injector.prepare(agent.name, metaOf(agent), "preview", { tokenDelivery });
  return { ...withOwnServer(context), served: new Set(tools.map((tool) => tool.name)) };
}

/** A session that has tools gets our own server before all others, and none beside it of the same name. */
function withOwnServer(context: SessionContext): Pick<Preview, "context" | "own"> {
  if (context.tools.length === 0) return { context };
  const { http: own } = toolServer(gateway, context.token);
  const isReplaced = ({ name }: AcpMcpServer): boolean => name === own.name;
  const replaced = context.mcpServers.filter(isReplaced).map(({ name }): HiddenItem => ({
    kind: "server",
    name,
    provider: giverOf(context, "mcpServers", name),
    rule: "name-taken",
    reason: "Galley's own server has this name",
  }));
  const others = context.mcpServers.filter((server) => !isReplaced(server));
  return {
    context: { ...context, mcpServers: [own, ...others], hidden: [...context.hidden, ...replaced] },
    own,
  };
}

function giverOf({ providers }: SessionContext, kind: "mcpServers" | "tools", name: string): string {
  return providers.find((state) => state.status === "ready" && state[kind].includes(name))?.name ?? "";
}

function injectDocument(
  agent: AgentDeclaration,
  { context, own, served }: Preview,
  tokenizer: Tokenizer,
): InjectDocument {
  const writers = new Map(
    context.providers.flatMap((state) =>
      state.status === "ready" && state.systemContext !== undefined ? [[state.systemContext, state.name]] : [],
    ),
  );
  const systemContext = context.systemContextAdditions.map((text, index) => ({
    from: writers.get(index) ?? "tool instructions",
    tokens: tokenizer.count(text),
    text,
  }));
  return {
    agent: { ...metaOf(agent), env: Object.keys(agent.env) },
    mcpServers: context.mcpServers.map((server) => ({
      from: server === own ? "galley" : giverOf(context, "mcpServers", server.name),
      ...withoutValues(server),
    })),
    tools: context.tools.map((tool) => ({
      from: giverOf(context, "tools", tool.name),
      ...tool,
      isServed: served.has(tool.name),
    })),
    hidden: context.hidden,
    systemContext,
    totalTokens: systemContext.reduce((sum, { tokens }) => sum + tokens, 0),
    exactness: tokenizer.exactness,
    tokenizer: tokenizer.id,
    providers: context.providers,
  };
}

/** A server with the names of its variables and headers, and none of their values. */
function withoutValues(server: AcpMcpServer): Omit<InjectDocument["mcpServers"][number], "from"> {
  const names = (values: readonly { readonly name: string }[]): string[] => values.map(({ name }) => name);
  if (isHttpServer(server)) {
    const { name, type, url, headers } = server;
    return { name, type, url, headers: names(headers) };
  }
  const { name, command, args, env = [] } = server;
  return { name, type: "stdio", command, args, env: names(env) };
}
