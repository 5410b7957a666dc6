import { resolve } from "node:path";
import { CanvasContextProvider, canvasTools } from "./canvas/canvas-tools.ts";
import type { CanvasStore } from "./canvas/canvas-store.ts";
import { type AgentDeclaration, type ProviderDeclaration, contextProviderName } from "../config/config-schema.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import { CoreContextProvider } from "./providers/core-context-provider.ts";
import { type Environment, expandEnvironment } from "../secrets/expand-environment.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { McpConfigProvider } from "./providers/mcp-config-provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { RulesContextProvider } from "./providers/rules-context-provider.ts";
import { SessionContextInjector } from "./session-context-injector.ts";
import { SkillsContextProvider } from "./providers/skills-context-provider.ts";
import type { Tool } from "../tools/tool.ts";

/** The providers of all agents, and the folder from which their paths are seen. */
type DeclaredProviders = Pick<LoadedConfig, "folder" | "providers">;

export interface AgentInjectorOptions {
  readonly redactor: Redactor;
  readonly environment?: Environment;
  /** Where the canvases of agents are; without it nothing can show a page. */
  readonly canvases?: CanvasStore;
  /** Which tools of the canvas are offered; all if absent. Without any, the agent is not told of a canvas. */
  readonly isOffered?: ((tool: Tool) => boolean) | undefined;
  /** Providers before those of the configuration, which an agent can do without as well. */
  readonly first?: readonly ContextProvider[];
  readonly last?: readonly ContextProvider[];
}

/**
 * The providers of a declared agent: identity, what Galley gives and the canvas, then those of all agents, then its own. One of
 * its own replaces another of the same name, in its place.
 */
export function agentProviders(
  { folder, providers }: DeclaredProviders,
  agent: AgentDeclaration,
  { redactor, environment = process.env, canvases, isOffered, first = [], last = [] }: AgentInjectorOptions,
): readonly ContextProvider[] {
  const declared = [...providers, ...agent.providers];
  const without = new Set(agent.withoutProviders);
  // An agent has one tool that reads skills; it finds those of all its providers that have not been replaced.
  const present = new Map(declared.map((one) => [contextProviderName(one), one]));
  const skills = [...present].flatMap(([name, one]) =>
    !without.has(name) && "type" in one && one.type === "skills"
      ? one.folders.map((path) => resolve(folder, path))
      : [],
  );
  const made = declared.map((one) => toProvider(one, { folder, skills, redactor, environment }));
  const byName = new Map<string, ContextProvider>();
  for (const provider of [
    new CoreContextProvider(),
    ...first,
    ...(canvasTools(canvases).some((tool) => isOffered?.(tool) ?? true)
      ? [new CanvasContextProvider({ canvases, isOffered })]
      : []),
    ...made,
    ...last,
  ]) {
    if (!without.has(provider.name)) byName.set(provider.name, provider);
  }
  return [...byName.values()];
}

/** An injector with the providers of a declared agent. */
export function agentInjector(
  config: DeclaredProviders,
  agent: AgentDeclaration,
  options: AgentInjectorOptions,
): SessionContextInjector {
  const { tokenDelivery } = agent;
  const { redact } = options.redactor;
  const injector = new SessionContextInjector({ redact, ...(tokenDelivery ? { tokenDelivery } : {}) });
  for (const provider of agentProviders(config, agent, options)) injector.register(provider);
  return injector;
}

/** The environment that the configuration adds for an agent, variables put in and every value known to the redactor. */
export function agentEnvironment(
  { name: agentName, env }: AgentDeclaration,
  { redactor, environment = process.env }: AgentInjectorOptions,
): Readonly<Record<string, string>> {
  const onValue = (name: string, value: string): void => redactor.add(name, value);
  const entries = Object.entries(env).map(([name, text]): [string, string] => {
    const value = expandEnvironment(text, { environment, path: `${agentName}.env.${name}`, onValue });
    redactor.add(name, value);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

interface ProviderSettings {
  readonly folder: string;
  readonly skills: readonly string[];
  readonly redactor: Redactor;
  readonly environment: Environment;
}

function toProvider(declared: ProviderDeclaration, given: ProviderSettings): ContextProvider {
  if (!("type" in declared)) return declared;
  const { folder, skills: readable, redactor, environment } = given;
  const { required, timeLimitMs } = declared;
  const shared = { name: contextProviderName(declared), required, timeLimitMs };
  switch (declared.type) {
    case "rules":
      return new RulesContextProvider({ ...shared, file: resolve(folder, declared.file) });
    case "skills":
      return new SkillsContextProvider({
        ...shared,
        folders: declared.folders.map((one) => resolve(folder, one)),
        readable,
      });
    case "mcp":
      return new McpConfigProvider({ ...shared, file: resolve(folder, declared.file), redactor, environment });
  }
}
