import { dirname } from "node:path";
import { GalleyError } from "@galley/engine";
import { type Command, Option } from "commander";
import type { RouteReply } from "../../api/index.ts";
import { servedKind } from "../../api/shapes.ts";
import { type ProviderRoute, providerHandlers } from "../../daemon/handlers/provider-handlers.ts";
import { nearestConfig } from "../../config/load-config.ts";
import type { NewProvider } from "../../models/models.ts";
import { openModels } from "../../models/open-models.ts";
import { ownProviders } from "../../models/own-providers.ts";
import { type Ask, withHandlers } from "../input/connect.ts";
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

const examples = `
The key is kept in your own configuration folder, never in the data folder, and is sent to that address alone.

Examples:
  $ galley provider add openrouter --key key.txt
  $ pass show openai | galley provider add openai --key -
  $ galley provider add house --url https://llm.example/v1 --key -
  $ galley provider check ollama`;

export function defineProvider(provider: Command, terminal: Terminal): void {
  addPrintFlags(provider.command("add").argument("<name>", "what stands before the slash: house in house/qwen3"))
    .description("Adds a provider of models to the data folder, or changes one; its models can be used at once.")
    .option("--url <url>", "where it listens, with its /v1 (default: the usual address of openai, ollama …)")
    .addOption(
      new Option("--type <type>", "the protocol that it speaks (default: by its name)").choices(servedKind.options),
    )
    .option("--key <file>", "a file with the key; - reads standard input")
    .addHelpText("after", examples)
    .action(async (name: string, flags: AddFlags) => {
      const apiKey = flags.key === undefined ? undefined : await keyIn(flags.key, terminal);
      const type = flags.type ?? typeOf(name);
      const body = { type, baseUrl: flags.url, apiKey };
      const saved = await withProviders(flags, (ask) => ask("providers.save", { params: { name }, body }));
      printResult(
        terminal,
        flags,
        saved,
        `${saved.name} at ${saved.baseUrl}, ${saved.hasKey ? "with its key" : "without a key"}.\n`,
      );
    });
  addPrintFlags(provider.command("list"))
    .description("Lists who serves models: declared in galley.config, added, or known anyway.")
    .action(async (flags: PrintFlags) => {
      const { providers } = await withProviders(flags, (ask) => ask("providers.list", {}));
      printResult(terminal, flags, { providers }, () => `${listText(providers, terminal)}\n`);
    });
  addPrintFlags(provider.command("check").argument("<name>", "which one"))
    .description("Asks a provider which models it has.")
    .action(async (name: string, flags: PrintFlags) => {
      const answer = await withProviders(flags, (ask) => ask("providers.check", { params: { name } }));
      printResult(terminal, flags, answer, () => answerText(name, answer));
    });
  addPrintFlags(provider.command("remove").argument("<name>", "which one"))
    .description("Takes a provider that was added away, and its key with it.")
    .action(async (name: string, flags: PrintFlags) => {
      await withProviders(flags, (ask) => ask("providers.delete", { params: { name } }));
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

/** Through the daemon of the data folder, or without one. */
function withProviders<Result>(flags: PrintFlags, work: (ask: Ask<ProviderRoute>) => Promise<Result>): Promise<Result> {
  return withHandlers(flags, work, async (use) => {
    const folder = existingDataFolder(flags.data);
    const config = await nearestConfig(dirname(folder));
    return use(providerHandlers(await openModels({ config, own: ownProviders(folder) })));
  });
}

function listText(providers: RouteReply<"providers.list">["providers"], terminal: Terminal): string {
  return renderTable(providers, terminal, {
    provider: "name",
    address: "baseUrl",
    from: "from",
    key: ({ hasKey }) => (hasKey ? "yes" : "no"),
    usable: ({ usable }) => (usable ? "yes" : "no"),
    why: "why",
  });
}

function answerText(name: string, { url, why, models }: RouteReply<"providers.check">): string {
  return [`${url}: ${why}`, ...models.map((id) => `  ${name}/${id}`), ""].join("\n");
}
