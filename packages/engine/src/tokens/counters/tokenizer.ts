import type { MediaRule } from "../media/count-media.ts";

/** How far a figure can be trusted: `calibrated` estimates were corrected by what a provider reported. */
export type Exactness = "exact" | "calibrated" | "estimated";

/** Counts the tokens of a text. Counting is pure: the same text always gives the same whole number. */
export interface Tokenizer {
  /** Names the vocabulary, e.g. `o200k_base`; figures carry it. */
  readonly id: string;
  readonly exactness: Exactness;
  /** How the model's provider counts pictures and documents; without one they cost the most that is known. */
  readonly media?: MediaRule;
  count(text: string): number;
  /** A lower bound of `count(text)` that is much faster to find; without it, more of a long session is counted than needed. */
  readonly atLeast?: (text: string) => number;
  /** True where a single space between two signs always begins a new token: a word costs the same in every text. */
  readonly partsAtSpaces?: boolean;
}

/** The encodings whose counts are exact. */
export const exactEncodings = ["o200k_base", "cl100k_base"] as const;
export type ExactEncoding = (typeof exactEncodings)[number];

/** Vocabularies that are public but too large to ship, or not public at all: their counts are estimates. */
export const estimatedFamilies = [
  "claude",
  "claude-4.7",
  "gemini",
  "llama",
  "qwen",
  "deepseek",
  "mistral",
  "other",
] as const;
export type EstimatedFamily = (typeof estimatedFamilies)[number];
