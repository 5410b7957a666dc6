import type { Archetype } from "../config/providers/agent-meta.ts";
import type { Collected } from "./call-provider.ts";
import type { AcpMcpServer } from "../config/providers/acp-mcp-server.ts";
import type { HiddenItem, ProviderState, SessionContext } from "./session/session-context.ts";
import { type ActantToolDefinition, isInScope, isToolScope, toolOf } from "../config/providers/tool-definition.ts";
import { runTool } from "../tools/run-tool.ts";

/** What a provider gave, or why it gave nothing. */
export type ProviderOutcome =
  | { readonly name: string; readonly collected: Collected }
  | { readonly name: string; readonly reason: string };

export type MergedContext = Pick<
  SessionContext,
  "mcpServers" | "tools" | "systemContextAdditions" | "providers" | "hidden"
>;

export interface MergeOptions {
  /** Leaves out the tools that nothing in the session can run [T2]. */
  readonly runnableOnly?: boolean | undefined;
}

/** Joins what the providers gave, in their order: the first of a name wins, scope before name, empty text is skipped [I3]. */
export function mergeContext(
  outcomes: readonly ProviderOutcome[],
  archetype: Archetype,
  { runnableOnly = false }: MergeOptions = {},
): MergedContext {
  const servers = new Map<string, AcpMcpServer>();
  const tools = new Map<string, ActantToolDefinition>();
  const owners = { server: new Map<string, string>(), tool: new Map<string, string>() };
  const texts: string[] = [];
  const hidden: HiddenItem[] = [];
  const take = <Item extends { readonly name: string }>(
    kind: "server" | "tool",
    taken: Map<string, Item>,
    item: Item,
    provider: string,
  ): boolean => {
    const owner = owners[kind].get(item.name);
    if (owner !== undefined) {
      const reason = owner === provider ? "the same provider gives it twice" : `${owner} has given one of this name`;
      hidden.push({ kind, name: item.name, provider, rule: "name-taken", reason });
      return false;
    }
    owners[kind].set(item.name, provider);
    taken.set(item.name, item);
    return true;
  };
  const runnable = runnableOnly ? runnableTools(outcomes, archetype) : (tool: ActantToolDefinition) => tool;
  const providers = outcomes.map((outcome): ProviderState => {
    if ("reason" in outcome) return { name: outcome.name, status: "unavailable", reason: outcome.reason };
    const { name, collected } = outcome;
    const ownServers = collected.servers.filter((server) => take("server", servers, server, name));
    const ownTools = collected.tools.filter((given) => {
      const tool = runnable(given);
      const why = outOfScope(given, archetype) ?? (tool ? undefined : notRunnable(given));
      if (why) hidden.push({ kind: "tool", name: given.name, provider: name, ...why });
      return !why && tool !== undefined && take("tool", tools, tool, name);
    });
    const hasText = collected.text !== undefined && collected.text.trim() !== "";
    return {
      name,
      status: "ready",
      mcpServers: ownServers.map((server) => server.name),
      tools: ownTools.map((tool) => tool.name),
      ...(hasText ? { systemContext: texts.push(collected.text ?? "") - 1 } : {}),
    };
  });
  return {
    mcpServers: [...servers.values()],
    tools: [...tools.values()],
    systemContextAdditions: texts,
    providers,
    hidden,
  };
}

/** Finds what runs a tool: its own function, or that of the first tool in the session that has the same method. */
function runnableTools(
  outcomes: readonly ProviderOutcome[],
  archetype: Archetype,
): (tool: ActantToolDefinition) => ActantToolDefinition | undefined {
  const all = outcomes.flatMap((outcome) => ("collected" in outcome ? outcome.collected.tools : []));
  const runners = all.filter((tool) => tool.execute && !outOfScope(tool, archetype));
  return (tool) => {
    if (tool.execute) return tool;
    const runner = runners.find(({ rpcMethod }) => rpcMethod === tool.rpcMethod);
    return runner && { ...tool, execute: (input, context) => runTool(toolOf(runner), input, context) };
  };
}

function notRunnable({ rpcMethod }: ActantToolDefinition): Pick<HiddenItem, "rule" | "reason"> {
  return { rule: "not-runnable", reason: `it brings no execute, and no tool here has the method ${rpcMethod}` };
}

function outOfScope(
  { scope }: { readonly scope: unknown },
  archetype: Archetype,
): Pick<HiddenItem, "rule" | "reason"> | undefined {
  if (!isToolScope(scope)) {
    const given = typeof scope === "string" ? JSON.stringify(scope) : `of type ${typeof scope}`;
    return { rule: "unknown-scope", reason: `its scope ${given} is not all, service or employee` };
  }
  if (isInScope(archetype, scope)) return undefined;
  return { rule: "scope", reason: `it is for ${scope} agents and up; this one is ${archetype}` };
}
