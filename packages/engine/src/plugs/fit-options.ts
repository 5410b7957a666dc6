import { extractiveCompactor } from "../fit/compactor/extractive-compactor.ts";
import type { Compactor } from "../fit/compactor/compactor.ts";
import {
  type InputCheck,
  fieldsCheck,
  flagCheck,
  functionCheck,
  invalidInput,
  onlyFields,
  oneOfCheck,
  textCheck,
  wrongInput,
} from "../model/check/input.ts";
import type { ToolSpec } from "../model/messages.ts";
import { type TokenAccount, tokenAccount } from "../tokens/account.ts";
import { loadModels } from "../tokens/catalogue/model-catalogue.ts";
import { usualLimit } from "../tokens/catalogue/model-info.ts";
import { tokenizerForModel } from "../tokens/catalogue/tokenizer-for-model.ts";
import type { Tokenizer } from "../tokens/counters/tokenizer.ts";
import { readTools } from "../wire/shared/read-items.ts";
import type { ListShape } from "../wire/write-items.ts";
import type { FitMemory } from "./fit-memory.ts";

/** How a list is fitted. Either a budget or a model must be given. */
export interface FitOptions {
  /** Tokens that may be sent, with system text and tools; what the model's window leaves for the input unless given. */
  readonly budget?: number | undefined;
  /** The model that is asked: it says how tokens are counted, and how many there may be. */
  readonly model?: string | undefined;
  /** System text that is sent beside the list. It is counted, and not put into the list. */
  readonly system?: string | undefined;
  /** The tools that are sent beside the list, in any provider's form. They are counted. */
  readonly tools?: readonly object[] | undefined;
  /** Which messages these are; found out from the list unless given. */
  readonly shape?: ListShape | undefined;
  /** What takes the place of old messages: nothing (`false`, the default), the lines that matter, or a summary of yours. */
  readonly compaction?: false | "extractive" | Compactor | undefined;
  /**
   * Whether your model can ask for what was left out, with a tool `context_recall` that `recallFitted` answers: then one
   * line says what was left out, and notes have handles (`§12`). Not unless said [R1].
   */
  readonly recall?: boolean | undefined;
  /** What the call before gave. */
  readonly memory?: FitMemory | undefined;
}

export const listShapes: readonly ListShape[] = ["ai-sdk", "openai-chat", "openai-responses", "anthropic"];

const compactorCheck = fieldsCheck({ id: textCheck, compact: functionCheck, pause: functionCheck }, ["id", "compact"]);
export const optionChecks: Readonly<Record<keyof FitOptions, InputCheck>> = {
  budget: (value, path) => {
    const hint = "Give the number of tokens that may be sent, or leave it out and name the model.";
    if (!Number.isSafeInteger(value) || Number(value) < 1)
      throw wrongInput(path, "a whole number from 1 upwards", value, { hint });
  },
  model: textCheck,
  system: textCheck,
  // Looked at where they are read.
  tools: () => undefined,
  shape: oneOfCheck(listShapes),
  compaction: (value, path) => {
    if (value !== false && value !== "extractive") compactorCheck(value, path);
  },
  recall: flagCheck,
  // Memory of an unknown form is ignored, and said.
  memory: () => undefined,
};
export const optionsCheck: InputCheck = onlyFields(fieldsCheck(optionChecks), Object.keys(optionChecks));

export function compactorOf({ compaction }: FitOptions): Compactor | undefined {
  if (compaction === undefined || compaction === false) return undefined;
  return compaction === "extractive" ? extractiveCompactor() : compaction;
}

// One account for each tokenizer: it remembers what it has counted.
const accounts = new WeakMap<Tokenizer, TokenAccount>();

export async function accountFor(model: string | undefined): Promise<TokenAccount> {
  const tokenizer = await tokenizerForModel(model);
  const account = accounts.get(tokenizer) ?? tokenAccount(tokenizer);
  accounts.set(tokenizer, account);
  return account;
}

export async function budgetOf({ budget, model }: FitOptions): Promise<number> {
  if (budget !== undefined) return budget;
  if (model !== undefined) return usualLimit((await loadModels()).find(model)).tokens;
  const hint = "Give the number of tokens that may be sent, or the name of the model, whose window then counts.";
  throw invalidInput("options.budget", "Neither budget nor model is given.", hint);
}

const knownTools = new WeakMap<object, { readonly given: readonly unknown[]; readonly tools: readonly ToolSpec[] }>();

/** The tools, read once for as long as the list of them stays as it is: a build compares lists by identity. */
export function toolsOf({ tools }: FitOptions): readonly ToolSpec[] | undefined {
  if (tools === undefined) return undefined;
  const known = typeof tools === "object" && tools !== null ? knownTools.get(tools) : undefined;
  if (known && known.given.length === tools.length && known.given.every((tool, index) => tool === tools[index]))
    return known.tools;
  const read = readTools(tools, "options.tools");
  knownTools.set(tools, { given: [...tools], tools: read });
  return read;
}
