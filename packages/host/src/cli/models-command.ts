import {
  type MediaRule,
  type ModelCatalogue,
  type ModelInfo,
  type ModelOverrides,
  GalleyError,
  loadModels,
  parseJson,
  parseModelOverrides,
} from "@galley/engine";
import type { Command } from "commander";
import { toJson } from "./build-command.ts";
import { readText } from "./files.ts";
import { renderTable } from "./table.ts";
import { type Terminal, styleFor } from "./terminal.ts";

interface ModelsFlags {
  readonly catalogue?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ galley models claude
  $ galley models "gpt-5*" --json
  $ galley models my-model --catalogue mine.json     {"my-model": {"window": 32000, "output": 4096}}`;

/** `galley models`: what is known about models. */
export function addModelsCommand(program: Command, terminal: Terminal): void {
  program
    .command("models")
    .summary("list models: window, output, price, tokenizer, how pictures count")
    .description("What is known about models. A pattern is a part of the name, or has * for anything.")
    .argument("[pattern]", "which models; all of them without one")
    .option(
      "--catalogue <file>",
      "own figures (JSON: name → window, output, price …), which win over the built-in ones",
    )
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(async (pattern: string | undefined, flags: ModelsFlags) => {
      const catalogue = await loadModels(await readOverrides(flags.catalogue, terminal));
      const found = matching(catalogue, pattern);
      if (found.length === 0 && pattern !== undefined) throw unknownModel(catalogue, pattern);
      const { source } = catalogue;
      terminal.out(flags.json ? toJson({ source, models: found }) : modelsText(found, source, terminal));
    });
}

/** Own figures out of a file. */
async function readOverrides(file: string | undefined, terminal: Terminal): Promise<ModelOverrides> {
  if (file === undefined) return {};
  return parseModelOverrides(parseJson(await readText(file, terminal), { what: `catalogue ${file}` }));
}

function matching(catalogue: ModelCatalogue, pattern: string | undefined): readonly ModelInfo[] {
  const { models } = catalogue;
  if (pattern === undefined) return models;
  const lower = pattern.toLowerCase();
  const isMatch = lower.includes("*") ? wildcard(lower) : (name: string) => name.includes(lower);
  const found = models.filter(({ name }) => isMatch(name.toLowerCase()));
  if (found.length > 0) return found;
  const one = catalogue.find(pattern);
  return one.isKnown ? [one] : [];
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
  return new GalleyError("NotFound", `No model is called ${JSON.stringify(pattern)}.`, {
    hint: `${meant}A model that nobody knows counts as ${number(window)} tokens of window and ${number(output)} of output; --catalogue says better.`,
  });
}

function modelsText(models: readonly ModelInfo[], source: string, terminal: Terminal): string {
  const table = renderTable(
    [
      { title: "model", isElastic: true, style: "bold" },
      { title: "window", isNumber: true },
      { title: "output", isNumber: true },
      { title: "$/M in", isNumber: true },
      { title: "out", isNumber: true },
      { title: "cached", isNumber: true },
      { title: "tokens" },
      { title: "pictures", style: "dim" },
    ],
    models.map(({ name, window, output, price, tokenizer, media, readsImages }) => [
      name,
      number(window),
      number(output),
      money(price?.input),
      money(price?.output),
      money(price?.cachedInput),
      tokenizer.endsWith("_base") ? `exact (${tokenizer})` : `estimated (${tokenizer})`,
      readsImages ? mediaText(media) : "–",
    ]),
    terminal,
  );
  const style = styleFor(terminal);
  return `${table}\n${style.dim(`${models.length} models; figures of ${source}`)}\n`;
}

function mediaText(rule: MediaRule): string {
  switch (rule.kind) {
    case "openai-tiles":
      return `${rule.base} + ${rule.tile} a tile`;
    case "openai-patches":
      return `${rule.factor} a patch, ≤ ${number(rule.most)}`;
    case "anthropic":
      return `28-pixel patches, ≤ ${number(rule.most)}`;
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

function money(value: number | undefined): string {
  return value === undefined ? "–" : String(value);
}
