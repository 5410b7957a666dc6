import type { EstimatedFamily, ExactEncoding } from "./tokenizer.ts";

/** What splits a model's text into tokens. */
export type TokenizerFamily = ExactEncoding | EstimatedFamily;

// The first that matches counts: a Llama that was taught by DeepSeek still has Llama's vocabulary.
const families: readonly (readonly [RegExp, TokenizerFamily])[] = [
  [/^(gpt-4o|gpt-4\.|gpt-[5-9]|gpt-oss|chatgpt-|o\d|codex-)/, "o200k_base"],
  [/^gpt-(4|3\.5)/, "cl100k_base"],
  [
    /claude.*-(haiku-4|(opus|sonnet)-4[.-][0-6](?!\d))|claude-([123]|instant|v\d)|claude-(opus|sonnet)-4(-2025|@|$)/,
    "claude",
  ],
  [/claude/, "claude-4.7"],
  [/gemini|gemma/, "gemini"],
  [/llama/, "llama"],
  [/qwen|qwq/, "qwen"],
  [/deepseek/, "deepseek"],
  [/mistral|mixtral|codestral|devstral|magistral|ministral|pixtral|voxtral/, "mistral"],
];

/** Far longer than any model's name; the rest of a longer one, made to keep the patterns busy, is ignored. */
const maxNameLength = 200;

/** A model's name without the provider in front of it, in small letters. */
export function plainModelName(model: string): string {
  const start = model.lastIndexOf("/") + 1;
  return model.slice(start, start + maxNameLength).toLowerCase();
}

/** The tokenizer family of a model; `other` for a model that nothing is known about. */
export function familyOf(model: string | undefined): TokenizerFamily {
  const name = plainModelName(model ?? "");
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}
