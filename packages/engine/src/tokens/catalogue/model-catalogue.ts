import * as z from "zod";
import { inputCheck, invalidInput, issuesOf, textCheck } from "../../model/check/input.ts";
import { mediaRuleSchema } from "../media/count-media.ts";
import { estimatedFamilies, exactEncodings } from "../counters/tokenizer.ts";
import { mediaRuleFor } from "./media-rules.ts";
import {
  type ModelCatalogue,
  type ModelData,
  type ModelInfo,
  type ModelOverrides,
  type ModelRow,
  unknownFigures,
} from "./model-info.ts";
import { familyOf, plainModelName } from "../counters/tokenizer-family.ts";

function unknownModel(name: string): ModelInfo {
  const guessed = { tokenizer: familyOf(name), media: mediaRuleFor(name) };
  return { ...unknownFigures, readsImages: false, isKnown: false, name, ...guessed };
}

/** Loads the catalogue that comes with the engine; it is not part of what a page loads at its start. */
export async function loadModels(overrides: ModelOverrides = noOverrides): Promise<ModelCatalogue> {
  const { modelData } = await import("./model-data.ts");
  ownFiguresCheck(overrides, "overrides");
  const catalogue = catalogues.get(overrides) ?? modelCatalogue(modelData, overrides);
  catalogues.set(overrides, catalogue);
  return catalogue;
}

const noOverrides: ModelOverrides = {};
// Figures never change in place; hundreds of models are not made again for each turn.
const catalogues = new WeakMap<ModelOverrides, ModelCatalogue>();

/** A catalogue of these rows, with own figures that win over them. */
export function modelCatalogue(data: ModelData, overrides: ModelOverrides): ModelCatalogue {
  dataCheck(data, "data");
  ownFiguresCheck(overrides, "overrides");
  const { source, date, models: rows } = data;
  const known = new Map<string, ModelInfo>();
  for (const row of rows) known.set(keyOf(row[0]), infoOf(row));
  for (const [name, own] of Object.entries(overrides)) {
    const before = known.get(keyOf(name)) ?? unknownModel(name);
    known.set(keyOf(name), { ...before, ...own, name: before.name, isKnown: true });
  }
  const models = [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    source: `${source}, ${date}`,
    models,
    find(model) {
      textCheck(model, "model");
      const key = keysOf(model).find((each) => known.has(each)) ?? "";
      return known.get(key) ?? unknownModel(model);
    },
    nearest(model) {
      textCheck(model, "model");
      return nearestNames(keyOf(model), models);
    },
  };
}

function infoOf([name, window, output, input, outputPrice, cachedInput, readsImages]: ModelRow): ModelInfo {
  const price = { input, output: outputPrice, ...(cachedInput > 0 ? { cachedInput } : {}) };
  return {
    name,
    window,
    output,
    ...(input > 0 || outputPrice > 0 ? { price } : {}),
    readsImages: readsImages === 1,
    tokenizer: familyOf(name),
    media: mediaRuleFor(name),
    isKnown: true,
  };
}

/** Providers write versions with dots or with dashes. */
function keyOf(model: string): string {
  return plainModelName(model).replaceAll(/[.@:]/g, "-");
}

// Bedrock: anthropic.claude-…-v1:0; dated releases: gpt-…-2025-08-07, claude-…-20250929, …-0528; aliases: …-latest.
function keysOf(model: string): string[] {
  const bare = plainModelName(model).replace(/^([a-z]{2}\.)?(anthropic|meta|mistral|amazon|deepseek|qwen)\./, "");
  const key = keyOf(bare);
  const undated = key.replace(/-v\d+(-\d+)?$/, "").replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest|preview)$/, "");
  return [key, key.replace(/-v\d+(-\d+)?$/, ""), undated, `${undated}-latest`];
}

/** In characters: longer than any name, and comparing takes the product of both lengths. */
const maxNameLength = 200;

function nearestNames(key: string, models: readonly ModelInfo[]): readonly string[] {
  if (key.length > maxNameLength) return [];
  const ranked = models
    .map(({ name }) => ({ name, distance: distanceOf(key, keyOf(name)) }))
    .filter(({ distance }) => distance <= Math.max(2, key.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return ranked.slice(0, 3).map(({ name }) => name);
}

/** How many letters have to be put in, taken out or changed. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

function figures() {
  const tokens = z.number().int().positive();
  const dollars = z.number().nonnegative();
  return {
    window: tokens.optional(),
    output: tokens.optional(),
    price: z.strictObject({ input: dollars, output: dollars, cachedInput: dollars.optional() }).optional(),
    readsImages: z.boolean().optional(),
    tokenizer: z.enum([...exactEncodings, ...estimatedFamilies]).optional(),
  };
}
const overridesSchema = z.lazy(() => z.record(z.string(), z.strictObject(figures())));
const ownFiguresCheck = inputCheck(
  z.lazy(() => z.record(z.string(), z.looseObject({ ...figures(), media: mediaRuleSchema.optional() }))),
);
const dataCheck = inputCheck(
  z.lazy(() => {
    const row = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]);
    return z.looseObject({ source: z.string(), date: z.string(), models: z.array(row) });
  }),
);

/** Checks own figures about models, as they come out of a file. */
export function parseModelOverrides(value: unknown): ModelOverrides {
  const [issue] = issuesOf(overridesSchema, value);
  if (!issue) return JSON.parse(JSON.stringify(value)) as ModelOverrides;
  const path = issue.path.map(String).join(".");
  const message = `The figures about models are not valid at ${path}: ${issue.message}.`;
  throw invalidInput(path, message, 'Write {"my-model": {"window": 32000, "output": 4096, "tokenizer": "qwen"}}.');
}
