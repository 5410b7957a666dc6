import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Tokenizer, WireProvider } from "@galley/engine";
import type { ModelInfo, TokenizerFamily } from "@galley/engine/models";
import type { Exactness } from "@galley/engine/tokens";
import type { Redactor } from "../secrets/redactor.ts";

/** Which protocol a model is reached by; `demo` is built in. */
export type ModelKind = "demo" | "openai" | "anthropic" | "google" | "openai-compatible";

/** Whether a model can be used, and why or why not, in a sentence for people. */
export interface ModelStatus {
  /** What to name it by. `ollama/*` stands for whatever models that server has. */
  readonly id: string;
  /** Who serves it: `openai`, `ollama`, or a name out of galley.config. */
  readonly provider: string;
  readonly kind: ModelKind;
  readonly usable: boolean;
  readonly why: string;
  /** Tokens of input and output together, where they are known. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly tokenizer: { readonly name: TokenizerFamily; readonly exactness: Exactness };
}

/** A model that can be asked. */
export interface ResolvedModel {
  /** The name that it was asked for by; records and ledgers carry it. */
  readonly id: string;
  readonly provider: string;
  readonly kind: ModelKind;
  /** For `streamText` and `generateText`. Its errors hold no keys; `readModelError` makes them ours. */
  readonly model: LanguageModelV4;
  /** Safe defaults, with `isKnown: false`, for an unknown model. */
  readonly info: ModelInfo;
  /** The format in which the provider gets its requests in the end. */
  readonly wire: WireProvider;
  readonly tokenizer: () => Promise<Tokenizer>;
  /** To be sent along with every call. */
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** The models of one configuration. */
export interface Models {
  /** What is used when no model is named: `models.default` of galley.config, else `demo`. */
  readonly defaultId: string;
  /** Knows every key that was found; whatever is written goes through it [P6]. */
  readonly redactor: Redactor;
  /** Every model that is known by name, usable or not; `demo` first. */
  list(): readonly ModelStatus[];
  /** The model of this name; throws `ModelUnavailable` with what to set. */
  resolve(id: string): ResolvedModel;
  /** Asks the servers which models they have; those that are not usable are not asked. */
  check(options?: CheckOptions): Promise<readonly ServerAnswer[]>;
}

/** How servers are asked for their models. */
export interface CheckOptions {
  /** For each server; 3 seconds if absent. */
  readonly timeLimitMs?: number;
}

/** What a server said to the question which models it has. */
export interface ServerAnswer {
  readonly provider: string;
  readonly url: string;
  readonly reached: boolean;
  /** A sentence: how many models it has, or what went wrong. */
  readonly why: string;
  readonly models: readonly string[];
}
