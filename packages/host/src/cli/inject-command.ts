import { resolve } from "node:path";
import { type Tokenizer, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { agentEnvironment, agentInjector } from "../inject/agent-injector.ts";
import { type AgentDeclaration, metaOf } from "../inject/config-schema.ts";
import { agentNamed, loadConfig } from "../inject/load-config.ts";
import { type AcpMcpServer, isHttpServer } from "../inject/mcp-server.ts";
import { Redactor } from "../inject/redactor.ts";
import type { SessionContext } from "../inject/session-context.ts";
import { SessionTokenStore } from "../inject/session-token-store.ts";
import { toJson } from "./build-command.ts";
import { type InjectDocument, injectText } from "./inject-text.ts";
import type { Terminal } from "./terminal.ts";

interface ShowFlags {
  readonly dir: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** `galley inject show`: what a session of an agent would get, without starting one. */
export function addInjectCommand(program: Command, terminal: Terminal): void {
  const inject = program.command("inject").summary("show what the sessions of an agent are given");
  inject
    .command("show")
    .argument("<name>", "an agent of galley.config.ts or galley.config.json")
    .description(
      "Shows what a new session of the agent would get: servers, tools, system text and its size, and what is hidden or " +
        "missing and why. Nothing is started; tokens and values of the environment are never shown.",
    )
    .option("-d, --dir <folder>", "the folder of the configuration", ".")
    .option("-m, --model <id>", "whose tokenizer counts")
    .option("--json", "print one JSON document")
    .action(async (name: string, flags: ShowFlags) => {
      const config = await loadConfig(resolve(flags.dir));
      const agent = agentNamed(config, name);
      const redactor = new Redactor();
      const tokens = new SessionTokenStore();
      redactor.watch(tokens);
      agentEnvironment(agent, { redactor });
      const injector = agentInjector(config, agent, { redactor });
      injector.setTokenStore(tokens);
      const context = await injector.prepare(agent.name, metaOf(agent), "preview");
      const tokenizer = await tokenizerForModel(flags.model);
      const document = redactor.redact(injectDocument(agent, context, tokenizer));
      terminal.out(flags.json ? toJson(document) : injectText(document, terminal));
    });
}

function injectDocument(agent: AgentDeclaration, context: SessionContext, tokenizer: Tokenizer): InjectDocument {
  const giverOf = (kind: "mcpServers" | "tools", name: string): string =>
    context.providers.find((state) => state.status === "ready" && state[kind].includes(name))?.name ?? "";
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
      from: giverOf("mcpServers", server.name),
      ...withoutValues(server),
    })),
    tools: context.tools.map((tool) => ({ from: giverOf("tools", tool.name), ...tool })),
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
