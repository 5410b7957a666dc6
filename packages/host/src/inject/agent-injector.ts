import { resolve } from "node:path";
import { CanvasContextProvider } from "./canvas/canvas-context-provider.ts";
import { type AgentDeclaration, type ProviderDeclaration, providerName } from "../config/config-schema.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import { CoreContextProvider } from "./providers/core-context-provider.ts";
import { type Environment, expandEnvironment } from "../secrets/expand-environment.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { McpConfigProvider } from "./providers/mcp-config-provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { RulesContextProvider } from "./providers/rules-context-provider.ts";
import { SessionContextInjector } from "./session-context-injector.ts";
import { SkillsContextProvider } from "./providers/skills-context-provider.ts";

export interface AgentInjectorOptions {
  readonly redactor: Redactor;
  readonly environment?: Environment;
}

/**
 * The providers of a declared agent: identity and canvas, then those of all agents, then its own. One of its own replaces
 * another of the same name, in its place.
 */
export function agentProviders(
  { folder, providers }: LoadedConfig,
  agent: AgentDeclaration,
  { redactor, environment = process.env }: AgentInjectorOptions,
): readonly ContextProvider[] {
  const declared = [...providers, ...agent.providers].map((one) => toProvider(one, folder, redactor, environment));
  const byName = new Map<string, ContextProvider>();
  for (const provider of [new CoreContextProvider(), new CanvasContextProvider(), ...declared]) {
    byName.set(provider.name, provider);
  }
  for (const name of agent.withoutProviders) byName.delete(name);
  return [...byName.values()];
}

/** An injector with the providers of a declared agent. */
export function agentInjector(
  config: LoadedConfig,
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

function toProvider(
  declared: ProviderDeclaration,
  folder: string,
  redactor: Redactor,
  environment: Environment,
): ContextProvider {
  if (!("type" in declared)) return declared;
  const { required = false, timeLimitMs } = declared;
  const shared = { name: providerName(declared), required, ...(timeLimitMs === undefined ? {} : { timeLimitMs }) };
  switch (declared.type) {
    case "rules":
      return new RulesContextProvider({ ...shared, file: resolve(folder, declared.file) });
    case "skills":
      return new SkillsContextProvider({ ...shared, folders: declared.folders.map((one) => resolve(folder, one)) });
    case "mcp":
      return new McpConfigProvider({ ...shared, file: resolve(folder, declared.file), redactor, environment });
  }
}
