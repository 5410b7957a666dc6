import { countCheck, fieldsCheck } from "../../model/check/input.ts";
import type { MediaRule } from "../media/count-media.ts";
import type { TokenizerFamily } from "../counters/tokenizer-family.ts";

/** In US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had cached, where it charges less for it. */
  readonly cachedInput?: number;
}

/** What is known about a model. */
export interface ModelInfo {
  readonly name: string;
  /** Tokens of input and output together. */
  readonly window: number;
  /** Tokens of output at most. */
  readonly output: number;
  readonly price?: ModelPrice;
  readonly readsImages: boolean;
  readonly tokenizer: TokenizerFamily;
  readonly media: MediaRule;
  /** False for an unknown model: these figures are what nearly every model can do. */
  readonly isKnown: boolean;
}

/** What nearly every model can do: for those that nothing is known of. */
export const unknownFigures = { window: 32_768, output: 4096 } as const;

/** At most this share of a window is kept free for the reply: some models could write a whole window. */
const maxReserve = 0.25;

const figuresCheck = fieldsCheck({ window: countCheck, output: countCheck }, ["window", "output"]);

/** The most that is sent to a model unless somebody says otherwise, and what its window leaves for the reply; the same on every face [T14]. */
export function usualLimit(figures: Pick<ModelInfo, "window" | "output"> = unknownFigures): {
  readonly tokens: number;
  readonly reserve: number;
} {
  figuresCheck(figures, "");
  const { window, output } = figures;
  const reserve = Math.min(output, Math.floor(window * maxReserve));
  return { tokens: window - reserve, reserve };
}

export interface ModelCatalogue {
  /** Where the figures come from, and of which day they are. */
  readonly source: string;
  /** By name. */
  readonly models: readonly ModelInfo[];
  /** What is known about a model under any name that a provider gives it; a safe default for unknown ones. */
  find(model: string): ModelInfo;
  /** Names that are written much like this one, the nearest first. */
  nearest(model: string): readonly string[];
}

/** Name, window, output, prices for a million tokens in, out and cached (0: not said), reads pictures (1). */
export type ModelRow = readonly [string, number, number, number, number, number, number];

export interface ModelData {
  readonly source: string;
  readonly date: string;
  readonly models: readonly ModelRow[];
}

/** Own figures, by model: they win over the catalogue's, and add models that it does not have. */
export type ModelOverrides = Readonly<Record<string, Partial<Omit<ModelInfo, "name" | "isKnown">>>>;
