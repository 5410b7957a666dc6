import { expect, test } from "vitest";
import { loadModels, modelCatalogue } from "./model-catalogue.ts";

const data = {
  source: "a test",
  date: "2026-01-01",
  models: [
    ["gpt-5", 400_000, 128_000, 1.25, 10, 0.125, 1],
    ["claude-opus-4.5", 200_000, 64_000, 5, 25, 0.5, 1],
    ["mistral-large-latest", 262_144, 262_144, 0, 0, 0, 0],
  ],
} as const;

test.each([
  ["gpt-5", "gpt-5"],
  ["openai/GPT-5", "gpt-5"],
  ["gpt-5-2025-08-07", "gpt-5"],
  ["claude-opus-4-5-20251101", "claude-opus-4.5"],
  ["us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4.5"],
  ["mistral-large-2411", "mistral-large-latest"],
])("[F4] %s is found as %s, whatever its provider calls it", (asked, name) => {
  expect(modelCatalogue(data, {}).find(asked)).toMatchObject({ name, isKnown: true });
});

test("[F4] a known model has its window, output, price, tokenizer and rule for pictures", () => {
  expect(modelCatalogue(data, {}).find("gpt-5")).toEqual({
    name: "gpt-5",
    window: 400_000,
    output: 128_000,
    price: { input: 1.25, output: 10, cachedInput: 0.125 },
    readsImages: true,
    tokenizer: "o200k_base",
    media: { kind: "openai-tiles", base: 70, tile: 140 },
    isKnown: true,
  });
  expect(modelCatalogue(data, {}).find("mistral-large-latest")).not.toHaveProperty("price");
});

test("[F4] an unknown model gets a safe default that says so, and the names it may have meant", () => {
  const catalogue = modelCatalogue(data, {});
  expect(catalogue.find("house-model")).toMatchObject({ name: "house-model", isKnown: false, tokenizer: "other" });
  expect(catalogue.find("house-model").window).toBeLessThan(100_000);
  expect(catalogue.nearest("claude-opsu-4-5")).toEqual(["claude-opus-4.5"]);
  expect(catalogue.nearest("something-else-entirely")).toEqual([]);
  // Compared letter by letter with each name, this would take minutes.
  expect(catalogue.nearest("claude-opus-4.5".repeat(100_000))).toEqual([]);
});

test("[F4] own figures win over the catalogue's and add models to it", () => {
  const catalogue = modelCatalogue(data, {
    "gpt-5": { window: 1000 },
    "house-model": { window: 9000, tokenizer: "qwen" },
  });
  expect(catalogue.find("openai/gpt-5")).toMatchObject({ window: 1000, output: 128_000, isKnown: true });
  expect(catalogue.find("house-model")).toMatchObject({ window: 9000, tokenizer: "qwen", isKnown: true });
});

test("[F4] the catalogue that comes with the engine is whole", async () => {
  const { models } = await loadModels();
  expect(models.length).toBeGreaterThan(200);
  const odd = models.filter(
    ({ window, output, price }) =>
      window < 1000 || output > window || Object.values(price ?? {}).some((figure) => !(figure >= 0)),
  );
  expect(odd).toEqual([]);
});
