import { z } from "zod";
import { GalleyError } from "../../model/errors.ts";
import type { ModelOverrides } from "./model-info.ts";

const tokens = z.number().int().positive();
const dollars = z.number().nonnegative();

const overridesSchema = z.record(
  z.string(),
  z.strictObject({
    window: tokens.optional(),
    output: tokens.optional(),
    price: z.strictObject({ input: dollars, output: dollars, cachedInput: dollars.optional() }).optional(),
    readsImages: z.boolean().optional(),
    tokenizer: z
      .enum([
        "o200k_base",
        "cl100k_base",
        "claude",
        "claude-4.7",
        "gemini",
        "llama",
        "qwen",
        "deepseek",
        "mistral",
        "other",
      ])
      .optional(),
  }),
);

/** Checks own figures about models, as they come out of a file. */
export function parseModelOverrides(value: unknown): ModelOverrides {
  const parsed = overridesSchema.safeParse(value);
  if (parsed.success) return JSON.parse(JSON.stringify(parsed.data)) as ModelOverrides;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join(".") ?? "";
  throw new GalleyError(
    "ContextInvalidInput",
    `The figures about models are not valid at ${path}: ${issue?.message}.`,
    {
      path,
      hint: 'Write {"my-model": {"window": 32000, "output": 4096, "tokenizer": "qwen"}}.',
    },
  );
}
