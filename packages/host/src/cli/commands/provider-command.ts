import { dirname } from "node:path";
import { GalleyError } from "@galley/engine";
import { type Command, Option } from "commander";
import type { RouteReply } from "../../api/index.ts";
import { findConfig } from "../../config/find-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { type Models, type NewProvider, type ServerAnswer, providerCheckMs } from "../../models/models.ts";
import { openModels } from "../../models/open-models.ts";
import { ownProviders } from "../../models/own-providers.ts";
import { connect } from "../input/connect.ts";
import { existingDataFolder, readText } from "../input/files.ts";
import { addPrintFlags, type PrintFlags } from "../input/options.ts";
import { printResult } from "../terminal/report.ts";
import { renderTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface AddFlags extends PrintFlags {
  readonly type?: NewProvider["type"];
  readonly url?: string;
  readonly key?: string;
}

type Listed = Pick<RouteReply<"providers.save">, "name" | "baseUrl" | "from" | "hasKey" | "usable" | "why">;
type Answer = Pick<ServerAnswer, "url" | "why" | "models">;

/** The providers of a data folder, through its daemon or without one. */
interface Providers {
  list(): Promise<readonly Listed[]>;
  save(provider: NewProvider): Promise<Listed>;
  remove(name: string): Promise<unknown>;
  check(name: string): Promise<Answer>;
}

const examples = `
The key is kept in your own configuration folder, never in the data folder, and is sent to that address alone.

Examples:
  $ galley provider add openrouter --key key.txt
  $ pass show openai | galley provider add openai --key -
  $ galley provider add house --url https://llm.example/v1 --key -
  $ galley provider check ollama`;

/** `galley provider`: who serves models. */
export function defineProvider(provider: Command, terminal: Terminal): void {
  addPrintFlags(provider.command("add").argument("<name>", "what stands before the slash: house in house/qwen3"))
    .description("Adds a provider of models to the data folder, or changes one; its models can be used at once.")
    .option("--url <url>", "where it listens, with its /v1 (default: the usual address of openai, ollama …)")
    .addOption(
      new Option("--type <type>", "the protocol that it speaks (default: by its name)").choices([
        "openai",
        "anthropic",
        "google",
        "openai-compatible",
      ]),
    )
    .option("--key <file>", "a file with the key; - reads standard input")
    .addHelpText("after", examples)
    .action(async (name: string, flags: AddFlags) => {
      const apiKey = flags.key === undefined ? undefined : await keyIn(flags.key, terminal);
      const type = flags.type ?? typeOf(name);
      const saved = await withProviders(flags, (all) => all.save({ name, type, baseUrl: flags.url, apiKey }));
      printResult(
        terminal,
        flags,
        saved,
        () => `${saved.name} at ${saved.baseUrl}, ${saved.hasKey ? "with its key" : "without a key"}.\n`,
      );
    });
  addPrintFlags(provider.command("list"))
    .description("Lists who serves models: declared in galley.config, added, or known anyway.")
    .action(async (flags: PrintFlags) => {
      const providers = await withProviders(flags, (all) => all.list());
      printResult(terminal, flags, { providers }, () => `${listText(providers, terminal)}\n`);
    });
  addPrintFlags(provider.command("check").argument("<name>", "which one"))
    .description("Asks a provider which models it has.")
    .action(async (name: string, flags: PrintFlags) => {
      const answer = await withProviders(flags, (all) => all.check(name));
      printResult(terminal, flags, answer, () => answerText(name, answer));
    });
  addPrintFlags(provider.command("remove").argument("<name>", "which one"))
    .description("Takes a provider that was added away, and its key with it.")
    .action(async (name: string, flags: PrintFlags) => {
      await withProviders(flags, (all) => all.remove(name));
      printResult(terminal, flags, { removed: name }, () => `${name} is gone, and its key with it.\n`);
    });
}

function typeOf(name: string): NewProvider["type"] {
  const known = (["openai", "anthropic", "google"] as const).find((type) => type === name.toLowerCase());
  return known ?? "openai-compatible";
}

/** Not as an argument: those are seen by every program of the machine, and kept by shells. */
async function keyIn(file: string, terminal: Terminal): Promise<string> {
  const key = (await readText(file, terminal)).trim();
  if (key !== "" && !/\s/.test(key)) return key;
  throw new GalleyError("BadUsage", key === "" ? "The key is empty." : "A key is one word.", {
    path: "--key",
    hint: "--key names a file with the key and nothing else; - reads standard input.",
  });
}

async function withProviders<Result>(flags: PrintFlags, work: (all: Providers) => Promise<Result>): Promise<Result> {
  const daemon = await connect(flags);
  if (daemon) {
    return work({
      list: async () => (await daemon.call("providers.list", {})).providers,
      save: ({ name, ...body }) => daemon.call("providers.save", { params: { name }, body }),
      remove: (name) => daemon.call("providers.delete", { params: { name } }),
      check: (name) => daemon.call("providers.check", { params: { name } }),
    });
  }
  return work(localProviders(await modelsIn(existingDataFolder(flags.data))));
}

async function modelsIn(folder: string): Promise<Models> {
  const found = findConfig(dirname(folder));
  const config = found === undefined ? undefined : await loadConfig(found);
  return openModels({ config, own: ownProviders(folder) });
}

function localProviders(models: Models): Providers {
  return {
    list: async () => models.providers(),
    save: (provider) => models.saveProvider(provider),
    remove: (name) => models.removeProvider(name),
    async check(name) {
      const [answer] = await models.check({ provider: name, timeLimitMs: providerCheckMs });
      return answer as Answer;
    },
  };
}

function listText(providers: readonly Listed[], terminal: Terminal): string {
  const rows = providers.map(({ name, baseUrl, from, hasKey, usable, why }) => {
    return [name, baseUrl, from, hasKey ? "yes" : "no", usable ? "yes" : "no", why];
  });
  return renderTable(["provider", "address", "from", "key", "usable", "why"], rows, terminal);
}

function answerText(name: string, { url, why, models }: Answer): string {
  return [`${url}: ${why}`, ...models.map((id) => `  ${name}/${id}`), ""].join("\n");
}
