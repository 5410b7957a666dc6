// Counting alone, quick to load.
export { loadTokenizer } from "./tokens/counters/load-tokenizer.ts";
export type { EstimatedFamily, ExactEncoding, Exactness, Tokenizer } from "./tokens/counters/tokenizer.ts";
export { type TokenFigure } from "./tokens/account.ts";
