import { expect, test } from "vitest";
import { tokenizerForModel } from "./tokenizer-for-model.ts";

test.each([
  ["gpt-4o-mini", "o200k_base", "exact"],
  ["openai/gpt-5.1", "o200k_base", "exact"],
  ["o3-mini", "o200k_base", "exact"],
  ["gpt-4-turbo", "cl100k_base", "exact"],
  ["claude-sonnet-4-5", "o200k_base", "estimated"],
  [undefined, "o200k_base", "estimated"],
])("[F4] %s is counted with %s, %s", async (model, id, exactness) => {
  const tokenizer = await tokenizerForModel(model);
  expect(tokenizer).toMatchObject({ id, exactness });
  expect(tokenizer.count("hello world")).toBe(2);
});
