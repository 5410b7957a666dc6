import { resolve } from "node:path";
import { GalleyError, loadModels, parseJson } from "@galley/engine";
import {
  type MediaRule,
  type ModelCatalogue,
  type ModelInfo,
  type ModelOverrides,
  parseModelOverrides,
} from "@galley/engine/models";
import { type Command, InvalidArgumentError } from "commander";
import { nearestConfig } from "../../config/load-config.ts";
import { type ModelsDeclaration, modelsSchema } from "../../config/models-schema.ts";
import type { ModelStatus, ServerAnswer } from "../../models/models.ts";
import { openModels } from "../../models/open-models.ts";
import { ownProviders } from "../../models/own-providers.ts";
import { type DataFlags, dataOption } from "../input/options.ts";
import { readText } from "../input/files.ts";
import { configOption } from "../input/agent-flags.ts";
import { printResult } from "../terminal/report.ts";
import { elastic, numbers, renderTable, styled } from "../terminal/table.ts";
import { styleFor, type Terminal } from "../terminal/terminal.ts";

interface ModelsFlags extends DataFlags {
  readonly catalogue?: string;
  readonly config?: string;
  readonly usable?: boolean;
  readonly check?: boolean;
  readonly timeLimit: number;
}

const examples = `
Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY), from \`galley provider add\`
or Studio's settings, or from galley.config:
  {"models": {"default": "house/qwen3", "providers": [{"name": "house", "baseUrl": "https://llm.example/v1", "apiKey": "\${HOUSE_KEY}"}]}}
Ollama, LM Studio and vLLM need none: ollama/qwen3, lmstudio/…, vllm/… The model demo is built in.

Examples:
  $ galley models claude
  $ galley models --usable --check                   asks the servers which models they have
  $ galley models "gpt-6*" --json
  $ galley models my-model --catalogue mine.json     {"my-model": {"window": 32000, "output": 4096}}`;

/** `galley models`: what is known about models, and which of them can be used. */
export function defineModels(command: Command, terminal: Terminal): void {
  command
    .description("What is known about models. A pattern is a part of the name, or has * for anything.")
    .argument("[pattern]", "which models; all of them without one")
    .option("--usable", "only those that can be used with the present setup")
    .option("--check", "ask the servers that are set up which models they have")
    .option("--time-limit <ms>", "how long a server may take to answer --check", milliseconds, 3000)
    .addOption(configOption())
    .addOption(dataOption("the data folder, with the providers that were added to it"))
    .option(
      "--catalogue <file>",
      "own figures (JSON: name → window, output, price …), which win over the built-in ones",
    )
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(async (pattern: string | undefined, flags: ModelsFlags) => {
      const declared = await readDeclaration(flags, terminal);
      const catalogue = await loadModels(declared.overrides);
      const models = await openModels({ config: { models: declared }, own: ownProviders(resolve(flags.data)) });
      const servers = flags.check ? await models.check({ timeLimitMs: flags.timeLimit }) : [];
      const all = withServers(listed(models.list(), catalogue), servers);
      const named = matching(all, catalogue, pattern);
      if (named.length === 0 && pattern !== undefined) throw unknownModel(catalogue, pattern);
      const found = flags.usable ? named.filter(({ usable }) => usable) : named;
      const { source } = catalogue;
      const answer = { source, default: models.defaultId, models: found, ...(flags.check ? { servers } : {}) };
      printResult(terminal, flags, answer, () => modelsText(found, source, models.defaultId, terminal));
    });
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new InvalidArgumentError("It must be a whole number of milliseconds, at most 600000.");
}

/** The configuration, if there is one, with the figures of a file above its own. */
async function readDeclaration(flags: ModelsFlags, terminal: Terminal): Promise<ModelsDeclaration> {
  const { models } = (await nearestConfig(".", flags.config)) ?? { models: modelsSchema.parse({}) };
  return { ...models, overrides: { ...models.overrides, ...(await readOverrides(flags.catalogue, terminal)) } };
}

async function readOverrides(file: string | undefined, terminal: Terminal): Promise<ModelOverrides> {
  if (file === undefined) return {};
  return parseModelOverrides(parseJson(await readText(file, terminal), { what: `catalogue ${file}` }));
}

const unserved = "No provider that is known serves it; declare one in galley.config.";

/** Those that can be asked for, then those that are only known. */
function listed(
  statuses: ReturnType<Awaited<ReturnType<typeof openModels>>["list"]>,
  catalogue: ModelCatalogue,
): ListedModel[] {
  const served = statuses.map(({ id, contextWindow, maxOutput, tokenizer, ...status }): ListedModel => {
    const info = catalogue.find(id);
    const { window, output } = { window: contextWindow ?? info.window, output: maxOutput ?? info.output };
    return {
      ...info,
      ...status,
      name: id,
      window,
      output,
      tokenizer: tokenizer.name,
      isKnown: contextWindow !== undefined,
    };
  });
  const names = new Set(served.map(({ name }) => name));
  const others = catalogue.models
    .filter(({ name }) => !names.has(name))
    .map((info): ListedModel => ({ ...info, usable: false, why: unserved }));
  return [...served, ...others];
}

/** What the servers have said: their models by name in place of `ollama/*`, or why they cannot be used now. */
function withServers(models: readonly ListedModel[], servers: readonly ServerAnswer[]): readonly ListedModel[] {
  return models.flatMap((model) => {
    const answer = servers.find(({ provider }) => provider === model.provider);
    if (!answer || model.kind === "demo") return [model];
    if (!answer.reached) return [{ ...model, usable: false, why: `${answer.url}: ${answer.why}` }];
    if (!model.name.endsWith("/*")) return [{ ...model, why: answer.why }];
    return answer.models.map((id) => ({ ...model, name: `${model.provider}/${id}`, why: answer.why }));
  });
}

function matching(
  models: readonly ListedModel[],
  catalogue: ModelCatalogue,
  pattern: string | undefined,
): readonly ListedModel[] {
  if (pattern === undefined) return models;
  const lower = pattern.toLowerCase();
  const isMatch = lower.includes("*") ? wildcard(lower) : (name: string) => name.includes(lower);
  const found = models.filter(({ name }) => isMatch(name.toLowerCase()));
  if (found.length > 0) return found;
  const one: ModelInfo = catalogue.find(pattern);
  return models.filter(({ name }) => one.isKnown && name === one.name);
}

function wildcard(pattern: string): (name: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const expression = new RegExp(`^${parts.join(".*")}$`);
  return (name) => expression.test(name);
}

function unknownModel(catalogue: ModelCatalogue, pattern: string): GalleyError {
  const { window, output } = catalogue.find(pattern);
  const nearest = catalogue.nearest(pattern);
  const meant = nearest.length > 0 ? `Did you mean ${nearest.join(" or ")}? ` : "";
  const [input, reply] = [window, output].map((tokens) => tokens.toLocaleString("en-US"));
  return new GalleyError("NotFound", `No model is called ${JSON.stringify(pattern)}.`, {
    hint: `${meant}Unknown models default to ${input} tokens of window and ${reply} of output; --catalogue gives better figures.`,
  });
}

/** A model with what is known about it, and whether it can be used. */
interface ListedModel extends ModelInfo, Pick<ModelStatus, "usable" | "why"> {
  /** Absent for a model that is known but not served. */
  readonly provider?: string;
  readonly kind?: ModelStatus["kind"];
}

/** The models as a table, and below it for each provider whether it can be used and why. */
function modelsText(models: readonly ListedModel[], source: string, preset: string, terminal: Terminal): string {
  const style = styleFor(terminal);
  const table = renderTable(models, terminal, {
    model: elastic("name", "bold"),
    window: numbers(({ isKnown, window }) => (isKnown ? number(window) : "?")),
    output: numbers(({ isKnown, output }) => (isKnown ? number(output) : "?")),
    "$/M in": numbers(({ price }) => price?.input ?? "–"),
    out: numbers(({ price }) => price?.output ?? "–"),
    cached: numbers(({ price }) => price?.cachedInput ?? "–"),
    tokens: ({ tokenizer }) => `${tokenizer.endsWith("_base") ? "exact" : "estimated"} (${tokenizer})`,
    pictures: styled("dim", ({ readsImages, media }) => (readsImages ? mediaText(media) : "–")),
    usable: ({ usable }) => (usable ? "yes" : "no"),
  });
  const reasons = new Map(models.map((model) => [`${model.provider} ${model.why}`, model]));
  const wide = { ...terminal, columns: Infinity };
  const why = renderTable([...reasons.values()], wide, {
    provider: styled("bold", ({ provider = "others" }) => provider),
    usable: ({ usable }) => (usable ? "yes" : "no"),
    why: "why",
  });
  const count = style.dim(`${models.length} models; figures of ${source}; used when none is named: ${preset}`);
  return models.length === 0 ? `${count}\n` : `${table}\n\n${why}\n\n${count}\n`;
}

function mediaText(rule: MediaRule): string {
  switch (rule.kind) {
    case "openai-tiles":
      return `${rule.base} + ${rule.tile} a tile`;
    case "openai-patches":
      return `${rule.factor} a patch, ≤ ${number(rule.max)}`;
    case "anthropic":
      return `28-pixel patches, ≤ ${number(rule.max)}`;
    case "gemini-tiles":
      return "258 a tile";
    case "gemini-budget":
      return "1,120 each";
    case "unknown":
      return "no rule known";
  }
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
