import { GalleyError, type Problem } from "@galley/engine";
import {
  type AgentDeclaration,
  type ProfileDeclaration,
  type ProviderDeclaration,
  contextProviderName,
} from "./config-schema.ts";
import { reservedAgentName } from "./providers/agent-meta.ts";
import type { ContextSettings } from "./settings-in-force.ts";
import type { OwnCompactor } from "./own-functions.ts";
import type { ModelsDeclaration } from "./models-schema.ts";

interface Declared {
  readonly agents: readonly AgentDeclaration[];
  readonly providers: readonly ProviderDeclaration[];
}

interface WithCompactors extends Pick<Declared, "agents"> {
  readonly profiles: readonly ProfileDeclaration[];
  readonly compactors: readonly OwnCompactor[];
  readonly context?: ContextSettings | undefined;
}

/** Providers that every agent has without a declaration. */
export const alwaysThere = ["core-identity", "canvas", "chat", "handover"];

/** What galley.config declares is changed there. */
export function declaredError(what: "agent" | "provider", name: string): GalleyError {
  const hint = "Change it there, or choose another name.";
  return new GalleyError("EditNotAllowed", `The ${what} ${name} is declared in galley.config.`, { path: "name", hint });
}

/** Agents of one name; and providers of one name in one list, of which the first would be lost in silence. */
export function twiceDeclared({ agents, providers }: Declared): Problem[] {
  // File systems that do not tell cases apart must not mix two agents up.
  const agentNames = agents.map(({ name }) => name.toLowerCase());
  const sameAgents = twice(agentNames, (index) => ({
    message: `Two agents are called ${JSON.stringify(agents[index]?.name)} (upper and lower case are the same).`,
    path: `agents[${index}].name`,
  }));
  // It would share a chat and a canvas with them.
  const taken = agentNames.flatMap((name, index): Problem[] => {
    if (name !== reservedAgentName) return [];
    const message = `An agent cannot be called ${JSON.stringify(name)}: your own programs are.`;
    const path = `agents[${index}].name`;
    return [{ severity: "error", code: "DuplicateId", message, path, hint: "Give it another name." }];
  });
  const lists = [
    { list: providers, path: "providers" },
    ...agents.map((agent, index) => ({ list: agent.providers, path: `agents[${index}].providers` })),
  ];
  return [...sameAgents, ...taken, ...lists.flatMap(({ list, path }) => sameProviders(list, path))];
}

function sameProviders(list: readonly ProviderDeclaration[], path: string): Problem[] {
  const names = list.map(contextProviderName);
  return twice(names, (index) => ({
    message: `Two providers of one list are called ${JSON.stringify(names[index])}: only one of them would be asked.`,
    path: `${path}[${index}]`,
    hint: 'Give one of them a "name" of its own.',
  }));
}

/** Providers of models that share a name: an id such as `house/qwen3` would mean two things. */
export function twiceServed({ providers }: ModelsDeclaration): Problem[] {
  const names = providers.map(({ name }) => name.toLowerCase());
  return twice(names, (index) => ({
    message: `Two providers of models are called ${JSON.stringify(providers[index]?.name)} (upper and lower case are the same).`,
    path: `models.providers[${index}].name`,
  }));
}

/** Names in `withoutProviders` without a provider: a typing error there would give an agent what it was to do without. */
export function unknownNames({ agents, providers }: Declared): Problem[] {
  return agents.flatMap((agent, index) => {
    const known = [...alwaysThere, ...[...providers, ...agent.providers].map(contextProviderName)];
    return agent.withoutProviders.flatMap((name, place): Problem[] => {
      if (known.includes(name)) return [];
      const message = `There is no provider ${JSON.stringify(name)} that ${agent.name} could do without.`;
      const path = `agents[${index}].withoutProviders[${place}]`;
      return [{ severity: "error", code: "ConfigInvalid", message, path, hint: `There are ${known.join(", ")}.` }];
    });
  });
}

/** Compactors of one name, and settings that name one that is not declared. */
export function unknownCompactors({ compactors, context, agents, profiles }: WithCompactors): Problem[] {
  const names = compactors.map(({ name }) => name);
  const same = twice(names, (index) => ({
    message: `Two compactors are called ${JSON.stringify(names[index])}.`,
    path: `compactors[${index}].name`,
  }));
  const layers = [
    { settings: context, path: "context" },
    ...agents.map((agent, index) => ({ settings: agent.context, path: `agents[${index}].context` })),
    ...profiles.map((profile, index) => ({ settings: profile.context, path: `profiles[${index}].context` })),
  ];
  const unknown = layers.flatMap(({ settings, path }): Problem[] => {
    const compaction = settings?.compaction;
    if (typeof compaction !== "object" || compaction === null || !("name" in compaction)) return [];
    if (names.includes(compaction.name)) return [];
    const message = `There is no compactor ${JSON.stringify(compaction.name)}.`;
    const hint = names.length === 0 ? "compactors declares none." : `There are ${names.join(", ")}.`;
    return [{ severity: "error", code: "ConfigInvalid", message, path: `${path}.compaction.name`, hint }];
  });
  return [...same, ...unknown];
}

/** Profiles, handlers or tools of one name. */
export function sameNames(list: string, items: readonly { readonly name: string }[]): Problem[] {
  const names = items.map(({ name }) => name);
  return twice(names, (index) => ({
    code: "ConfigInvalid",
    message: `${list} has ${JSON.stringify(names[index])} twice.`,
    path: `${list}[${index}].name`,
  }));
}

/** A problem for each name that stands in the list before. */
function twice(
  names: readonly string[],
  told: (index: number) => Pick<Problem, "message" | "path"> & Partial<Pick<Problem, "code">>,
): Problem[] {
  const usual = { severity: "error", code: "DuplicateId", hint: "Rename one." } as const;
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [{ ...usual, ...told(index) }] : []));
}
