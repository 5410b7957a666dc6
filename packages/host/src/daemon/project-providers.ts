import type { AgentDeclaration } from "../inject/config-schema.ts";
import type { ContextProvider } from "../inject/context-provider.ts";
import { CoreContextProvider } from "../inject/core-context-provider.ts";
import type { LoadedConfig } from "../inject/load-config.ts";

/** What the sessions of an agent get in a project: the platform's own providers, then those of the configuration. */
export function projectProviders(config: LoadedConfig, agent: AgentDeclaration): readonly ContextProvider[] {
  const own = [...config.providers, ...agent.providers].flatMap((provider) => ("type" in provider ? [] : [provider]));
  const all: readonly ContextProvider[] = [new CoreContextProvider(), ...own];
  return all.filter(({ name }) => !agent.withoutProviders.includes(name));
}
