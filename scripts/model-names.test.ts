import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadModels } from "@galley/engine";
import { modelData } from "../packages/engine/src/tokens/catalogue/model-data.ts";
import { modelEnds } from "../packages/engine/src/tokens/testing/model-ends.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const catalogue = await loadModels();

/** What people read or run: pages, examples, and the product with its help, hints and defaults. */
const read = [
  "*.md",
  "docs/**/*.md",
  "examples/**/*.{ts,json,jsonl,md}",
  "plugs/{*,examples/*}.ts",
  "packages/{engine,host}/README.md",
  "packages/*/src/**/*.{ts,tsx}",
  "packages/host/{prompts,api-page}/**/*",
  "packages/engine/schemas/*",
];
const isFixture = (file: string): boolean => /\.(?:test|suite|test-support|test-setup)\.tsx?$|\/testing\//.test(file);
/** The catalogue itself, and rules that recognise models, the old ones too. */
const rules = new Set(
  ["catalogue/model-data", "catalogue/media-rules", "counters/tokenizer-family"].map(
    (name) => `packages/engine/src/tokens/${name}.ts`,
  ),
);

/** A name with a digit in it, of a family that its maker serves. Open weights (qwen3, llama3.2) end with nobody's service. */
const named =
  /(?<![\w-])((?:(?:chat)?gpt|claude|gemini|grok)-?[\w.-]*\d[\w.-]*|o[134](?:-(?:mini|pro))?)(?![\w])(\*?)/gi;
/** A tokenizer's name, not a model's. */
const others = new Set(["claude-4.7"]);

const day = 24 * 60 * 60 * 1000;
const shortest = 90;

function modelNames(text: string): readonly { readonly name: string; readonly isPattern: boolean }[] {
  return [...text.matchAll(named)]
    .map(([, name = "", star = ""]) => ({ name: name.toLowerCase().replace(/[.-]+$/, ""), isPattern: star !== "" }))
    .filter(({ name }) => !others.has(name));
}

/** Why no page should name this model; nothing when it may. */
function problemOf(name: string, isPattern: boolean): string | undefined {
  if (isPattern) {
    const isMet = catalogue.models.some((model) => model.name.startsWith(name) && !problemOf(model.name, false));
    return isMet ? undefined : `${name}* matches no model that stays`;
  }
  if (!catalogue.find(name).isKnown) return `${name} is not in the catalogue`;
  const plain = (text: string): string => text.replaceAll(".", "-").replace(/-(?:\d{8}|\d{4}-\d\d-\d\d)$/, "");
  const found = modelEnds.find(({ models }) => models.some((model) => plain(model) === plain(name)));
  if (!found || Date.parse(found.end) - Date.parse(modelData.date) >= shortest * day) return undefined;
  return `${name} ends on ${found.end} (${found.source}, read on ${found.read})`;
}

const problemsIn = (text: string): readonly string[] =>
  modelNames(text).flatMap(({ name, isPattern }) => problemOf(name, isPattern) ?? []);

test("[J5] every model that pages, examples and the product name is in the catalogue and stays for 90 days from its date", () => {
  const files = globSync(read, { cwd: root }).filter((file) => !isFixture(file) && !rules.has(file));
  const texts = files.map((file) => ({ file, text: readFileSync(root + file, "utf8") }));
  const found = texts.flatMap(({ text }) => modelNames(text));
  expect(found.length).toBeGreaterThan(40);
  expect(texts.flatMap(({ file, text }) => problemsIn(text).map((problem) => `${file}: ${problem}`))).toEqual([]);
});

test("a model that ends too soon, or that does not exist, is found wherever and however it is written", () => {
  const ended = { "claude-sonnet-4-5": "2026-11-30", "gpt-5": "2026-12-11", "gpt-4o-mini": "2027-01-14" };
  for (const [name, end] of Object.entries(ended)) {
    for (const text of [`--model ${name}.`, `"${name}"`, `openai/${name}`, `\`${name}\``, name.toUpperCase()]) {
      expect([text, problemsIn(text)]).toEqual([text, [expect.stringContaining(`${name} ends on ${end}`)]]);
    }
  }
  expect(problemsIn("claude-sonnet-4-5-20250929 and o3")).toHaveLength(2);
  expect(problemsIn("gpt-77-nova, gpt-5.2-chat*")).toEqual([
    "gpt-77-nova is not in the catalogue",
    "gpt-5.2-chat* matches no model that stays",
  ]);
  expect(problemsIn("gpt-6*, gpt-5.1, ollama/qwen3, claude-recipe, o200k_base")).toEqual([]);
});

test("each announced end has a day, a source and the day on which it was read; no model has two", () => {
  for (const { end, read: seen, source } of modelEnds) {
    expect([end, seen].every((date) => /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)))).toBe(true);
    expect(source).toMatch(/^(?:OpenAI|Anthropic|Google)'s /);
  }
  const models = modelEnds.flatMap((one) => one.models);
  expect(new Set(models).size).toBe(models.length);
});
