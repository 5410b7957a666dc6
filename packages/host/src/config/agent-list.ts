import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { GalleyError, throwOnErrors } from "@galley/engine";
import * as z from "zod";
import { parseAs } from "../api/parse-as.ts";
import { declaredError, twiceDeclared, unknownNames } from "./config-problems.ts";
import { type AgentDeclaration, agentSchema, providerByType } from "./config-schema.ts";
import type { LoadedConfig } from "./load-config.ts";
import { type KeptList, isNamed, keptList } from "../disk/kept-list.ts";
import { isInside } from "../disk/user-file.ts";
import { isSecretName, looksRandom } from "../secrets/secret-parts.ts";
import { type FoundProgram, findPrograms, knownPrograms } from "./known-programs.ts";

const ownAgent = agentSchema.extend({ providers: z.array(providerByType).default([]) });

/** An agent that a person has added, by Studio or by `galley agent add`; its paths are absolute. */
type OwnAgent = z.output<typeof ownAgent>;

/** An agent as a person adds or changes it: what is absent stays as it is, `null` takes it away. */
export interface NewAgent extends Omit<Partial<z.input<typeof ownAgent>>, "cwd" | "model" | "preset"> {
  readonly name: string;
  /** A known program instead of a command: `claude-code`, `codex` … */
  readonly program?: string | undefined;
  readonly cwd?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly preset?: string | null | undefined;
}

/** An agent, and who has declared it. */
export interface ListedAgent {
  readonly agent: AgentDeclaration;
  readonly from: "galley.config" | "added";
}

/** What saving an agent would keep. */
interface PlannedAgent {
  readonly agent: AgentDeclaration;
  /**
   * What of it a page must not decide alone, in words: programs that are started, files that are read, folders outside of
   * the project. Nothing where none of that is new.
   */
  readonly toConfirm: string | undefined;
  /** What was given, with all that `toConfirm` looked at: saved as this, it is what was asked about, whatever came between. */
  readonly settled: NewAgent;
}

/** The agents of a data folder: those of galley.config, and those that a person has added. */
export interface GalleyAgents {
  /** The folder of the project: relative paths are seen from here. */
  readonly folder: string;
  list(): readonly ListedAgent[];
  find(name: string): AgentDeclaration | undefined;
  /** The same; throws where there is none. */
  named(name: string): AgentDeclaration;
  /** The programs that Galley knows, and which of them are on this machine. */
  programs(): readonly FoundProgram[];
  /** Checks what would be saved, and keeps nothing. */
  plan(agent: NewAgent): PlannedAgent;
  /** Adds an agent, or changes one that was added. It is kept in the user's configuration folder. */
  save(agent: NewAgent): Promise<AgentDeclaration>;
  /** Takes an agent that was added away. Its chat stays. */
  remove(name: string): Promise<void>;
}

export interface AgentListOptions {
  readonly config: LoadedConfig | undefined;
  readonly data: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Is told the agent that was saved; none where one was taken away. */
  readonly onChange?: (name: string, agent: AgentDeclaration | undefined) => Promise<void>;
}

export function agentList({ config, data, environment, onChange }: AgentListOptions): GalleyAgents {
  const folder = config?.folder ?? dirname(resolve(data));
  const declared = config?.agents ?? [];
  const kept: KeptList<OwnAgent> = keptList("agents", ownAgent, data);
  const isDeclared = (wanted: string): boolean => declared.some(({ name }) => isNamed(name, wanted));
  let added = kept.read();
  const list = (): readonly ListedAgent[] => [
    ...declared.map((agent) => ({ agent, from: "galley.config" as const })),
    ...added.flatMap((agent) => (isDeclared(agent.name) ? [] : [{ agent, from: "added" as const }])),
  ];
  const find = (wanted: string): AgentDeclaration | undefined =>
    list().find(({ agent }) => agent.name === wanted)?.agent;
  const own = (items: readonly OwnAgent[], wanted: string): OwnAgent | undefined =>
    items.find(({ name }) => isNamed(name, wanted));
  const made = (given: NewAgent, before: OwnAgent | undefined): OwnAgent => {
    if (isDeclared(given.name)) throw declaredError("agent", given.name);
    const agent = newAgent(given, before, folder);
    throwOnErrors(
      inPlace([
        ...twiceDeclared({ agents: [agent], providers: [] }),
        ...unknownNames({ agents: [agent], providers: config?.providers ?? [] }),
      ]),
    );
    return agent;
  };
  return {
    folder,
    list,
    find,
    named: (name) => find(name) ?? noAgent(name, list()),
    programs: () => findPrograms(environment),
    plan(given) {
      const before = own(added, given.name);
      const agent = made(given, before);
      const looked = Object.fromEntries(confirmed.map((field) => [field, agent[field]]));
      return { agent, toConfirm: toConfirm(agent, before, folder), settled: { ...given, ...looked } };
    },
    async save(given) {
      let saved: OwnAgent | undefined;
      added = await kept.change((agents) => {
        const before = own(agents, given.name);
        const agent = made(given, before);
        saved = agent;
        return before ? agents.map((one) => (one === before ? agent : one)) : [...agents, agent];
      });
      await onChange?.(given.name, saved);
      return saved as OwnAgent;
    },
    async remove(wanted) {
      if (isDeclared(wanted)) throw declaredError("agent", wanted);
      added = await kept.change((agents) => {
        const left = agents.filter(({ name }) => !isNamed(name, wanted));
        return left.length < agents.length ? left : noAgent(wanted, list());
      });
      await onChange?.(wanted, undefined);
    },
  };
}

function newAgent({ program, ...given }: NewAgent, before: OwnAgent | undefined, folder: string): OwnAgent {
  const named = program === undefined ? {} : programNamed(program);
  // What is absent stays, and `null` takes away.
  const merged: Record<string, unknown> = Object.fromEntries(
    Object.entries({ ...before, ...named, ...given }).filter(([, value]) => value !== null && value !== undefined),
  );
  if (before) merged["name"] = before.name;
  if (merged["command"] === undefined) throw refused("command", "Say which program it is: a known one, or a command.");
  const data = parseAs(ownAgent, merged, "");
  const at = (path: string): string => resolve(folder, path);
  return {
    ...data,
    cwd: folderAt(at(data.cwd ?? ".")),
    providers: data.providers.map((one) =>
      one.type === "skills" ? { ...one, folders: one.folders.map(at) } : { ...one, file: at(one.file) },
    ),
  };
}

function programNamed(id: string): Pick<AgentDeclaration, "command" | "args" | "backendType"> {
  const program = knownPrograms.find((one) => one.id === id);
  if (program) return { command: program.command, args: [...program.args], backendType: program.id };
  const names = knownPrograms.map((one) => one.id).join(", ");
  throw refused("program", `${JSON.stringify(id)} is not a program that Galley knows.`, `It knows ${names}.`);
}

/** The id of the program that an agent starts, where it is one that Galley knows, started as Galley does. */
export function programOf({ command, args }: Pick<AgentDeclaration, "command" | "args">): string | undefined {
  return knownPrograms.find((one) => one.command === command && isSame(one.args, args))?.id;
}

/** What a confirmation was given for: another value of one of them makes all of it another question. */
const confirmed = ["command", "args", "cwd", "env", "providers", "permissions"] as const;

// What a page may decide is what the person has put within its reach: a program that is installed and known, in the project,
// with providers that galley.config declares, and with no permission given in advance. Variables and permissions that were
// given to one program are not for another.
function toConfirm(agent: OwnAgent, before: OwnAgent | undefined, folder: string): string | undefined {
  if (before && confirmed.every((field) => isSame(agent[field], before[field]))) return undefined;
  const parts = [
    programOf(agent) === undefined && `start ${words([agent.command, ...agent.args])}`,
    !isInside(agent.cwd ?? folder, folder) && `work in ${words([agent.cwd ?? ""])}`,
    Object.keys(agent.env).length > 0 && `set ${words(Object.entries(agent.env).map(shownVariable))}`,
    agent.providers.length > 0 &&
      `use ${agent.providers.map((one) => `${one.type} ${words(pathsOf(one))}`).join(", ")}`,
    typeof agent.permissions === "object" && `be allowed ${words(agent.permissions.allow)}`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  const program = programOf(agent);
  return [...(program === undefined ? [] : [`be ${program}`]), ...parts].join(", ");
}

function pathsOf(provider: OwnAgent["providers"][number]): readonly string[] {
  return provider.type === "skills" ? provider.folders : [provider.file];
}

/** A page asks for a value and must not get another; a key is not written to a terminal, and its digest stands for it. */
function shownVariable([name, value]: readonly [string, string]): string {
  const isShown = !isSecretName(name) && !looksRandom(value);
  return `${name}=${isShown ? value : `(${createHash("sha256").update(value).digest("hex").slice(0, 16)})`}`;
}

/** Each in quotes: where one ends and the next begins must not be up to what they say. */
function words(list: readonly string[]): string {
  return list.map((one) => JSON.stringify(one)).join(" ");
}

/** A folder that is there, as the file system knows it: a link may lead out of the project. */
function folderAt(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path);
  throw refused(
    "cwd",
    `There is no folder ${path}.`,
    "An agent works in a folder that is there; the project, if absent.",
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The problems of a list with this one agent, as they stand in the agent. */
function inPlace(problems: ReturnType<typeof unknownNames>): ReturnType<typeof unknownNames> {
  return problems.map((problem) => ({ ...problem, path: (problem.path ?? "").replace(/^agents\[0\]\./, "") }));
}

function noAgent(name: string, all: readonly ListedAgent[]): never {
  const names = all.map(({ agent }) => agent.name).join(", ");
  throw new GalleyError("NotFound", `There is no agent ${JSON.stringify(name)}.`, {
    path: "name",
    hint: names === "" ? "`galley agent add` adds one, galley.config declares one." : `There are ${names}.`,
  });
}

function refused(path: string, message: string, hint = "`galley agent programs` lists the known ones."): GalleyError {
  return new GalleyError("BadRequest", message, { path, hint });
}
