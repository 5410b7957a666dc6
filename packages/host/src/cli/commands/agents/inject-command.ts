import { type Tokenizer, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import { type AgentDeclaration, metaOf } from "../../../config/config-schema.ts";
import { type AcpMcpServer, isHttpServer } from "../../../config/providers/acp-mcp-server.ts";
import { giverOf, previewSession, type SessionPreview } from "../../../daemon/agents/preview-session.ts";
import { Redactor } from "../../../secrets/redactor.ts";
import { readArguments, shownAddress } from "../../../secrets/secret-parts.ts";
import { addAgentFlags, type AgentFlags, configHelp, openProjectGalley } from "../../input/agent-flags.ts";
import { printResult } from "../../terminal/report.ts";
import { type Columns, elastic, renderTable, styled } from "../../terminal/table.ts";
import { styleFor, type Terminal } from "../../terminal/terminal.ts";

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
      const galley = await openProjectGalley(flags);
      try {
        const agent = galley.agents.named(name);
        const redactor = new Redactor();
        const given = await previewSession(galley, agent, redactor);
        const document = redactor.redact(injectDocument(agent, given, tokenizer));
        printResult(terminal, flags, document, () => injectText(document, terminal));
      } finally {
        await galley.close();
      }
    });
}

function injectDocument(agent: AgentDeclaration, { context, own }: SessionPreview, tokenizer: Tokenizer) {
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
function withoutValues(server: AcpMcpServer): ShownServer {
  const names = (values: readonly { readonly name: string }[]): string[] => values.map(({ name }) => name);
  if (isHttpServer(server)) {
    const { name, type, url, headers } = server;
    return { name, type, url: shownAddress(url), headers: names(headers) };
  }
  const { name, command, args, env = [] } = server;
  const shown = readArguments([command, ...args]).map((word) => word.shown);
  return { name, type: "stdio", command: shown[0] ?? "", args: shown.slice(1), env: names(env) };
}

/** What `galley inject show --json` prints. */
export type InjectDocument = ReturnType<typeof injectDocument>;

interface ShownServer {
  readonly name: string;
  readonly type: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  /** Names only. */
  readonly env?: readonly string[];
  readonly url?: string;
  /** Names only. */
  readonly headers?: readonly string[];
}

/** The same for a person, as tables. */
function injectText(document: InjectDocument, terminal: Terminal): string {
  const style = styleFor(terminal);
  const { agent, mcpServers, tools, hidden, systemContext, providers } = document;
  const counted =
    document.exactness === "exact" ? document.tokenizer : `${document.exactness} with ${document.tokenizer}`;
  const heading = `${style.bold(agent.name)}: ${agent.archetype}, ${agent.backendType}, ${agent.workspacePolicy} workspace, ${agent.launchMode}`;
  const env = agent.env.length > 0 ? `\nenvironment: ${agent.env.join(", ")}` : "";
  const section = <Item>(title: string, items: readonly Item[], columns: Columns<NoInfer<Item>>): string =>
    `${style.bold(title)}\n${items.length > 0 ? renderTable(items, terminal, columns) : "none"}`;
  const size = `${document.totalTokens.toLocaleString("en-US")} tokens (${counted})`;
  const sections = [
    heading + env,
    section(`System text (${systemContext.length}), ${size}`, systemContext, {
      from: "from",
      tokens: "tokens",
      text: elastic(({ text }) => onOneLine(text, 60), "dim"),
    }),
    section(`Tools (${tools.length})`, tools, {
      name: styled("cyan", "name"),
      from: "from",
      scope: "scope",
      does: elastic(({ description }) => onOneLine(description, 60), "dim"),
    }),
    section(`MCP servers (${mcpServers.length})`, mcpServers, {
      name: styled("cyan", "name"),
      from: "from",
      over: "type",
      at: elastic(({ url, command, args = [] }) => url ?? [command, ...args].join(" ")),
      secrets: ({ env, headers }) => (env ?? headers ?? []).join(", "),
    }),
    ...(hidden.length === 0
      ? []
      : [
          section(`Hidden (${hidden.length})`, hidden, {
            what: "kind",
            name: styled("cyan", "name"),
            from: "provider",
            because: "reason",
          }),
        ]),
    section("Providers", providers, {
      name: "name",
      state: "status",
      why: (state) => (state.status === "unavailable" ? state.reason : ""),
    }),
  ];
  return `${sections.join("\n\n")}\n`;
}
