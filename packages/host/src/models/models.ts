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
  /** What is known of a model by its name, whether it can be asked or not. */
  info(id: string): ModelInfo;
  /** Asks the servers which models they have; those that are not usable are not asked. */
  check(options?: CheckOptions): Promise<readonly ServerAnswer[]>;
  /** Who serves models, and what is known of each. */
  providers(): readonly ProviderStatus[];
  /** Adds a provider to this data folder, or changes one that was added; its models can be used at once. */
  saveProvider(provider: NewProvider): Promise<ProviderStatus>;
  /** The same, checked and with its address, without adding anything. */
  planProvider(provider: NewProvider): NewProvider & { readonly baseUrl: string };
  /** Takes a provider that was added away, and its key with it. */
  removeProvider(name: string): Promise<void>;
}

/** A provider of models, as people see it: never with its key. */
export interface ProviderStatus {
  readonly name: string;
  readonly kind: Exclude<ModelKind, "demo">;
  /** Without what may be secret in it. */
  readonly baseUrl: string;
  /** Declared in `galley.config`, added by a person, or known without either. */
  readonly from: "galley.config" | "added" | "known";
  readonly hasKey: boolean;
  readonly usable: boolean;
  readonly why: string;
}

export interface NewProvider {
  readonly name: string;
  readonly type: Exclude<ModelKind, "demo">;
  /** The usual address of such a provider, if absent. */
  readonly baseUrl?: string | undefined;
  /** If absent, the key that is there stays, as long as the address has the same origin. */
  readonly apiKey?: string | undefined;
}

/** How long a server may take when a person has asked for it alone. */
export const providerCheckMs = 10_000;

/** How servers are asked for their models. */
export interface CheckOptions {
  /** Only this one; all that can be used, if absent. */
  readonly provider?: string | undefined;
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
