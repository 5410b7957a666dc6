import { bpeTokenizer } from "./bpe-tokenizer.ts";
import { cl100kPieceEnd, o200kPieceEnd } from "./split-text.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** The encodings whose counts are exact. */
export type ExactEncoding = "o200k_base" | "cl100k_base";

// Each vocabulary is megabytes, so none is loaded before it is asked for.
const loaders: Record<ExactEncoding, () => Promise<Tokenizer>> = {
  o200k_base: async () => {
    const { default: entries } = await import("gpt-tokenizer/bpeRanks/o200k_base");
    return bpeTokenizer("o200k_base", entries, o200kPieceEnd);
  },
  cl100k_base: async () => {
    const { default: entries } = await import("gpt-tokenizer/bpeRanks/cl100k_base");
    return bpeTokenizer("cl100k_base", entries, cl100kPieceEnd);
  },
};

const loading = new Map<ExactEncoding, Promise<Tokenizer>>();

/** Loads an exact tokenizer. It is built once, however often it is asked for. */
export async function loadTokenizer(id: ExactEncoding): Promise<Tokenizer> {
  const tokenizer = loading.get(id) ?? loaders[id]();
  loading.set(id, tokenizer);
  // A vocabulary that could not be fetched this time may be fetched the next.
  tokenizer.catch(() => loading.delete(id));
  return tokenizer;
}
