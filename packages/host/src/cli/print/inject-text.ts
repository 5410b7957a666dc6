import type { Exactness } from "@galley/engine/tokens";
import type { AgentInstanceMeta } from "../../config/providers/agent-meta.ts";
import type { HiddenItem, ProviderState } from "../../inject/session/session-context.ts";
import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";
import { type Column, elastic, numbers, onOneLine, renderTable, styled } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

/** What `galley inject show --json` prints. */
export interface InjectDocument {
  readonly agent: AgentInstanceMeta & { readonly env: readonly string[] };
  readonly mcpServers: readonly ShownServer[];
  readonly tools: readonly (Omit<ActantToolDefinition, "execute"> & { readonly from: string })[];
  readonly hidden: readonly HiddenItem[];
  readonly systemContext: readonly { readonly from: string; readonly tokens: number; readonly text: string }[];
  readonly totalTokens: number;
  readonly exactness: Exactness;
  readonly tokenizer: string;
  readonly providers: readonly ProviderState[];
}

interface ShownServer {
  readonly from: string;
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
export function injectText(document: InjectDocument, terminal: Terminal): string {
  const style = styleFor(terminal);
  const { agent, mcpServers, tools, hidden, systemContext, providers } = document;
  const counted =
    document.exactness === "exact" ? document.tokenizer : `${document.exactness} with ${document.tokenizer}`;
  const heading = `${style.bold(agent.name)}: ${agent.archetype}, ${agent.backendType}, ${agent.workspacePolicy} workspace, ${agent.launchMode}`;
  const env = agent.env.length > 0 ? `\nenvironment: ${agent.env.join(", ")}` : "";
  const section = (
    title: string,
    columns: readonly (Column | string)[],
    rows: readonly (readonly string[])[],
  ): string => `${style.bold(title)}\n${rows.length > 0 ? renderTable(columns, rows, terminal) : "none"}`;
  const sections = [
    heading + env,
    section(
      `System text (${systemContext.length}), ${document.totalTokens.toLocaleString("en-US")} tokens (${counted})`,
      ["from", numbers("tokens"), elastic("text", "dim")],
      systemContext.map(({ from, tokens, text }) => [from, String(tokens), onOneLine(text, 60)]),
    ),
    section(
      `Tools (${tools.length})`,
      [styled("name", "cyan"), "from", "scope", elastic("does", "dim")],
      tools.map(toolRow),
    ),
    section(
      `MCP servers (${mcpServers.length})`,
      [styled("name", "cyan"), "from", "over", elastic("at"), "secrets"],
      mcpServers.map((server) => [
        server.name,
        server.from,
        server.type,
        server.url ?? [server.command, ...(server.args ?? [])].join(" "),
        (server.env ?? server.headers ?? []).join(", "),
      ]),
    ),
  ];
  if (hidden.length > 0) {
    sections.push(
      section(
        `Hidden (${hidden.length})`,
        ["what", styled("name", "cyan"), "from", "because"],
        hidden.map(({ kind, name, provider, reason }) => [kind, name, provider, reason]),
      ),
    );
  }
  sections.push(section("Providers", ["name", "state", "why"], providers.map(providerRow)));
  return `${sections.join("\n\n")}\n`;
}

function toolRow({ name, from, scope, description }: InjectDocument["tools"][number]): string[] {
  return [name, from, scope, onOneLine(description, 60)];
}

function providerRow(state: ProviderState): string[] {
  return [state.name, state.status, state.status === "unavailable" ? state.reason : ""];
}
