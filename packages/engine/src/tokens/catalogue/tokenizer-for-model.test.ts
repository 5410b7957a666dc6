import { expect, test } from "vitest";
import { loadTokenizer } from "../counters/load-tokenizer.ts";
import { tokenizerForModel } from "./tokenizer-for-model.ts";

test.each([
  ["gpt-4o-mini", "o200k_base", "exact"],
  ["openai/gpt-5.1", "o200k_base", "exact"],
  ["o3-mini", "o200k_base", "exact"],
  ["gpt-4-turbo", "cl100k_base", "exact"],
  ["claude-sonnet-4-5", "claude", "estimated"],
  ["anthropic.claude-3-5-sonnet-20241022-v2:0", "claude", "estimated"],
  ["claude-haiku-4-5-20251001", "claude", "estimated"],
  ["claude-sonnet-4-20250514", "claude", "estimated"],
  ["claude-opus-4-7", "claude-4.7", "estimated"],
  ["anthropic/claude-opus-4.8", "claude-4.7", "estimated"],
  ["claude-sonnet-5-5", "claude-4.7", "estimated"],
  ["google/gemini-3.5-flash", "gemini", "estimated"],
  ["Qwen/Qwen3-32B", "qwen", "estimated"],
  ["deepseek-r1-distill-llama-70b", "llama", "estimated"],
  ["deepseek-v4-pro", "deepseek", "estimated"],
  ["codestral-latest", "mistral", "estimated"],
  ["a-model-of-ours", "other", "estimated"],
  [undefined, "other", "estimated"],
])("[F4] %s is counted with %s, %s", async (model, id, exactness) => {
  const tokenizer = await tokenizerForModel(model);
  expect(tokenizer).toMatchObject({ id, exactness });
  expect(tokenizer.count("hello world")).toBeGreaterThanOrEqual(2);
  expect(tokenizer.count("")).toBe(0);
});

// Text, and its tokens in the families' own tokenizers (Llama 3, Qwen 3, Gemma 3, DeepSeek V3, Mistral Nemo, Claude 2).
const chinese = "春天来了，图书馆门口的老树又开满了白色的花。读者们在树下排队，等着新书上架。";
const code =
  "export function sum(values: readonly number[]): number {\n  return values.reduce((a, b) => a + b, 0);\n}\n";
const json = '{"id":"a1","total":1234567,"items":[{"sku":"X-99","count":12,"price":3.5}],"ok":true}';
const real: Readonly<Record<string, readonly [number, number, number]>> = {
  claude: [42, 32, 34],
  gemini: [28, 34, 41],
  llama: [36, 28, 35],
  qwen: [26, 28, 41],
  deepseek: [23, 29, 36],
  mistral: [39, 29, 43],
};

test.each(Object.entries(real))(
  "[F4] %s: Chinese, code and JSON are never under-counted by more than 10 %%",
  async (id, counts) => {
    const tokenizer = await loadTokenizer(id);
    for (const [index, text] of [chinese, code, json].entries()) {
      expect(tokenizer.count(text)).toBeGreaterThanOrEqual((counts[index] ?? 0) * 0.9);
      expect(tokenizer.count(text)).toBeLessThanOrEqual((counts[index] ?? 0) * 2);
    }
  },
);

test("[F4] a calibrated tokenizer is found again by the id that a record carries", async () => {
  expect(await loadTokenizer("claude@1.2")).toMatchObject({ id: "claude@1.2", exactness: "calibrated" });
  expect(await loadTokenizer("claude@nonsense")).toMatchObject({ exactness: "estimated" });
  expect(await loadTokenizer("a tokenizer of a later version")).toMatchObject({ id: "other" });
});
