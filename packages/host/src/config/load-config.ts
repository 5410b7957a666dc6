import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GalleyError, type RuntimeHintProvider, throwOnErrors } from "@galley/engine";
import {
  type AgentDeclaration,
  type GalleyConfig,
  type HandlerDeclaration,
  type ProfileDeclaration,
  type ProviderDeclaration,
  configSchema,
} from "./config-schema.ts";
import { configNames, findConfig } from "./find-config.ts";
import { sameNames, twiceDeclared, twiceServed, unknownCompactors, unknownNames } from "./config-problems.ts";
import type { ContextSettings } from "./settings-in-force.ts";
import type { OwnCompactor } from "./own-functions.ts";
import type { TimeLimits } from "./time-limits.ts";
import type { ModelsDeclaration } from "./models-schema.ts";
import type { Tool } from "../tools/tool.ts";
import { parseAs } from "../api/parse-as.ts";
import { parsePrivateJson, readSmallFile } from "../disk/named-files.ts";
import { messageOf } from "../disk/storage-error.ts";

export type { AgentDeclaration, GalleyConfig } from "./config-schema.ts";

/** A configuration that was read and checked. */
export interface LoadedConfig {
  readonly file: string;
  /** Relative paths in the configuration are seen from here. */
  readonly folder: string;
  readonly agents: readonly AgentDeclaration[];
  readonly providers: readonly ProviderDeclaration[];
  /** Who serves models. */
  readonly models: ModelsDeclaration;
  readonly limits: TimeLimits;
  /** For every turn, unless a later layer says other. */
  readonly context?: ContextSettings | undefined;
  readonly profiles: readonly ProfileDeclaration[];
  readonly handlers: readonly HandlerDeclaration[];
  readonly tools: readonly Tool[];
  readonly compactors: readonly OwnCompactor[];
  readonly runtimeHintProvider?: RuntimeHintProvider | undefined;
}

/**
 * Gives `galley.config.ts` its types.
 *
 * @example
 * ```ts
 * import { defineConfig } from "galley";
 *
 * export default defineConfig({
 *   agents: [{ name: "mara", command: "npx", args: ["--yes", "@agentclientprotocol/claude-agent-acp"] }],
 *   models: { default: "claude-sonnet-5-5" },
 * });
 * ```
 */
export function defineConfig(config: GalleyConfig): GalleyConfig {
  return config;
}

/** Reads `galley.config.ts` or `galley.config.json` of a folder; throws with every problem at once. */
export async function loadConfig(folder: string): Promise<LoadedConfig> {
  const root = resolve(folder);
  const found = configNames.map((name) => join(root, name)).filter((file) => existsSync(file));
  const [file, other] = found;
  if (file === undefined) {
    throw new GalleyError("FileNotFound", `There is no galley.config.ts or galley.config.json in ${root}.`, {
      path: root,
      hint: 'Write one: {"agents": [{"name": "mara", "command": "npx", "args": ["--yes", "@agentclientprotocol/claude-agent-acp"], "backendType": "claude-code"}]}',
    });
  }
  if (other !== undefined) {
    throw new GalleyError("ConfigInvalid", `There are two configurations: ${file} and ${other}.`, {
      path: other,
      hint: "Keep one of the two.",
    });
  }
  const value = file.endsWith(".ts") ? await importDefault(file) : await readJson(file);
  return { file, folder: root, ...parseConfig(value) };
}

/** The configuration that is nearest to a folder, from there upwards; or that of `named`, which then has to be there. */
export async function nearestConfig(from: string, named?: string): Promise<LoadedConfig | undefined> {
  const folder = named ?? findConfig(from);
  return folder === undefined ? undefined : loadConfig(folder);
}

/** A configuration that was written in code, checked as one of a file is. */
export function configFrom(config: GalleyConfig, folder: string): LoadedConfig {
  return { file: "the configuration", folder: resolve(folder), ...parseConfig(config) };
}

/** One agent of the configuration by its name. */
export function agentNamed({ agents, file }: LoadedConfig, name: string): AgentDeclaration {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent) return agent;
  const names = agents.map((candidate) => candidate.name).join(", ");
  throw new GalleyError("NotFound", `${file} declares no agent ${JSON.stringify(name)}.`, {
    path: name,
    hint: names === "" ? "It declares none at all." : `It declares ${names}.`,
  });
}

function parseConfig(value: unknown): Omit<LoadedConfig, "file" | "folder"> {
  // A field that is ignored in silence could be the one that was to keep an agent in bounds.
  const data = parseAs(configSchema, value, "", "ConfigInvalid");
  throwOnErrors([
    ...twiceDeclared(data),
    ...unknownNames(data),
    ...twiceServed(data.models),
    ...unknownCompactors(data),
    ...sameNames("profiles", data.profiles),
    ...sameNames("handlers", data.handlers),
    ...sameNames("tools", data.tools),
  ]);
  const { $schema: _, version: __, ...declared } = data;
  return declared;
}

/** A configuration that is larger was not written by hand. */
const maxConfigBytes = 16 * 1024 * 1024;

async function readJson(file: string): Promise<unknown> {
  return parsePrivateJson(await readSmallFile(file, maxConfigBytes), file);
}

async function importDefault(file: string): Promise<unknown> {
  // The time of the last change, so that a running process reads an edited file again.
  const { mtimeMs } = await stat(file);
  // Node would wait for a pipe, and read a device without end.
  await readSmallFile(file, maxConfigBytes);
  const url = `${pathToFileURL(file).href}?changed=${mtimeMs}`;
  let module: { readonly default?: unknown };
  try {
    module = (await import(/* @vite-ignore */ url)) as { readonly default?: unknown };
  } catch (cause) {
    throw new GalleyError("ConfigInvalid", `${file} cannot be loaded: ${messageOf(cause)}`, {
      path: file,
      hint: "Node runs it as it is: types are taken out, nothing is compiled.",
      cause,
    });
  }
  if (module.default !== undefined) return module.default;
  throw new GalleyError("ConfigInvalid", `${file} has no default export.`, {
    path: file,
    hint: "Write: export default defineConfig({ agents: [ … ] })",
  });
}
