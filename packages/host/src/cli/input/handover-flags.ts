import { resolve } from "node:path";
import { type JsonObject, GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { type LoadedConfig, nearestConfig } from "../../config/load-config.ts";
import { type Caller, person } from "../../handover/options/caller.ts";
import type { HandoverOptions } from "../../handover/options/handover-options.ts";
import type { Store } from "../../store/ports/ports.ts";
import { openStore } from "../../store/open-store.ts";
import { jsonOrText, splitPair, usualDataFolder } from "./options.ts";

export interface StoreFlags {
  readonly data?: string;
  readonly postgres?: string;
  readonly project?: string;
  readonly json?: boolean;
}

export function addStoreFlags(command: Command): Command {
  return command
    .option("--data <folder>", "data folder of the embedded store (default: GALLEY_DATA, else .ship)")
    .option("--postgres <url>", "a PostgreSQL database instead, shared by several machines")
    .option("--project <name>", "the project whose cards and tasks are meant (default: default)")
    .option("--json", "print one JSON document");
}

/** An open store with who is asking. */
export interface HandoverSession {
  readonly store: Store;
  readonly options: HandoverOptions;
  readonly projectId: string;
  readonly caller: Caller;
}

/** Opens the store, lets it be used, and closes it whatever happens. */
export async function withHandover<Result>(
  flags: StoreFlags,
  use: (session: HandoverSession) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(storeOf(flags));
  try {
    const projectId = flags.project ?? process.env["GALLEY_PROJECT"] ?? "default";
    return await use({ store, options: { store }, projectId, caller: await callerOf(store, projectId) });
  } finally {
    await store.close();
  }
}

export interface ConfigFlags extends StoreFlags {
  readonly config?: string;
}

/** The flags of what also needs the profiles and handlers of a configuration. */
export function addConfigFlags(command: Command): Command {
  const description = "the folder of galley.config (default: looked for from here upwards)";
  return addStoreFlags(command).option("--config <folder>", description);
}

/** A store with what the configuration declares: its profiles go before those of the store [T15]. */
export interface ConfiguredSession extends HandoverSession {
  readonly config: LoadedConfig | undefined;
}

/** Opens the store with the configuration; what is wrong with that is said before anything is done. */
export async function withConfig<Result>(
  { config, ...flags }: ConfigFlags,
  use: (session: ConfiguredSession) => Promise<Result>,
): Promise<Result> {
  const loaded = await nearestConfig(".", config);
  const { profiles = [] } = loaded ?? {};
  return withHandover(flags, (session) =>
    use({ ...session, options: { ...session.options, profiles }, config: loaded }),
  );
}

/** Which store is meant: a flag goes before the environment, and PostgreSQL before a data folder. */
function storeOf({ data, postgres }: StoreFlags): { postgres: string } | { data: string } {
  const { GALLEY_POSTGRES } = process.env;
  if (postgres !== undefined && data !== undefined) {
    throw new GalleyError("BadUsage", "--data and --postgres do not go together.", { hint: "Name one store." });
  }
  const url = postgres ?? (data === undefined ? GALLEY_POSTGRES : undefined);
  if (url === undefined) return { data: data ?? usualDataFolder() };
  return { postgres: postgresUrl(url) };
}

/** The URL of a PostgreSQL, as it was given. */
export function postgresUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  // Not repeated: it may hold a password.
  throw new GalleyError("BadUsage", "What was given for PostgreSQL is not its URL.", {
    hint: "Write postgres://user:password@host/database.",
  });
}

/** The environment in which a command that is started, wherever it goes, finds the same store. */
export function storeEnvironment(flags: StoreFlags): NodeJS.ProcessEnv {
  const store = storeOf(flags);
  return "postgres" in store
    ? { GALLEY_POSTGRES: store.postgres, GALLEY_DATA: undefined }
    : { GALLEY_DATA: resolve(store.data), GALLEY_POSTGRES: undefined };
}

/** A command that a worker runs asks as the agent of its task; all else is a person. */
async function callerOf(store: Store, projectId: string): Promise<Caller> {
  const taskId = process.env["GALLEY_TASK"];
  if (taskId === undefined) return { projectId, id: person };
  const [task] = await store.tasks.read(projectId, [taskId]);
  if (task?.status !== "running") {
    throw new GalleyError("TaskLost", `GALLEY_TASK names the task ${taskId}, which is not running.`, {
      hint: "Unset GALLEY_TASK to ask as a person.",
    });
  }
  return { projectId, id: task.agentId, hold: { projectId, taskId, attempt: task.attempt } };
}

/** `key=value` pairs as arguments: JSON where it is some, else text. */
export function readArguments(pairs: readonly string[]): JsonObject {
  const split = pairs.map((pair) => splitPair(pair, "name=value"));
  return Object.fromEntries(split.map(([name, text]) => [name, jsonOrText(text)]));
}

/** `name` or `name:type` as a result field. */
export function readField(text: string): JsonObject {
  const [name = "", type] = text.split(":");
  return { name, type };
}
