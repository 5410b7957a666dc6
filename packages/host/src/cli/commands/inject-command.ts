import { type Tokenizer, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { type SessionPreview, giverOf, previewSession } from "../../daemon/agents/preview-session.ts";
import { type AgentDeclaration, metaOf } from "../../config/config-schema.ts";
import { agentNamed } from "../../config/load-config.ts";
import { type AcpMcpServer, isHttpServer } from "../../config/providers/mcp-server.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { addAgentFlags, type AgentFlags, configHelp, openProjectGalley } from "../input/agent-flags.ts";
import { type InjectDocument, injectText } from "../print/inject-text.ts";
import { printResult } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface ShowFlags extends AgentFlags {
  readonly model?: string;
}

/** `galley inject show`: what a session of an agent would get, without starting one. */
export function defineInject(inject: Command, terminal: Terminal): void {
  inject.addHelpText("after", configHelp);
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
      const tokenizer = await tokenizerForModel(flags.model);
      const { galley, config } = await openProjectGalley(flags);
      try {
        const agent = agentNamed(config, name);
        const redactor = new Redactor();
        const given = await previewSession(galley, agent, redactor);
        const document = redactor.redact(injectDocument(agent, given, tokenizer));
        printResult(terminal, flags, document, () => injectText(document, terminal));
      } finally {
        await galley.close();
      }
    });
}

function injectDocument(
  agent: AgentDeclaration,
  { context, own }: SessionPreview,
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
    tools: context.tools.map(({ execute: _execute, ...tool }) => ({
      from: giverOf(context, "tools", tool.name),
      ...tool,
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
