import { type ExactEncoding, loadTokenizer } from "./load-tokenizer.ts";
import type { Tokenizer } from "./tokenizer.ts";

const o200kModels = /^(gpt-4o|gpt-4\.|gpt-[5-9]|gpt-oss|chatgpt-|o\d|codex-)/;
const cl100kModels = /^gpt-(4|3\.5)/;

/**
 * The tokenizer that comes nearest to a model's own. It is exact where the model's vocabulary is public; for all other
 * models the same counts are called what they are: estimates.
 */
export async function tokenizerForModel(model: string | undefined): Promise<Tokenizer> {
  const encoding = model === undefined ? undefined : encodingOf(model.slice(model.lastIndexOf("/") + 1));
  const tokenizer = await loadTokenizer(encoding ?? "o200k_base");
  return encoding ? tokenizer : { ...tokenizer, exactness: "estimated" };
}

function encodingOf(model: string): ExactEncoding | undefined {
  if (o200kModels.test(model)) return "o200k_base";
  return cl100kModels.test(model) ? "cl100k_base" : undefined;
}
