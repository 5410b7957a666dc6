import { anyListCheck, explain, fieldsCheck, inputCheck, listCheck } from "../model/check/input.ts";
import type { MessageEntry } from "../model/entries.ts";
import { messageEntrySchema } from "../model/entry-schema.ts";
import type { Problem } from "../model/check/errors.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { messageCheck } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { headLength } from "../model/message-entry.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";
import { type Placement, placeItems } from "./place/place-items.ts";
import { postProcess } from "./post-process.ts";
import { presetCheck } from "./preset/preset-schema.ts";
import type { Preset } from "./preset/preset.ts";
import { type ResolveOptions, resolveFields, resolvePreset } from "./preset/resolve-preset.ts";
import type { RecipeMatch } from "./preset/select-recipe.ts";

/** A preset, a history, and what fills their placeholders. */
export interface ComposeInput extends ResolveOptions {
  readonly preset: Preset;
  /** Oldest first; all of it is sent. */
  readonly history?: readonly MessageEntry[] | undefined;
  readonly summary?: ModelMessage | undefined;
  /** When given, the ledger says what each input costs. */
  readonly account?: TokenAccount | undefined;
}

/** What a preset makes of a history: the messages, and where each came from. */
export interface Composition {
  /** Exactly what is sent. */
  readonly messages: readonly ModelMessage[];
  /** One row for every step, the profile and every history message, in that order; then what the build added itself. */
  readonly ledger: readonly LedgerRow[];
  /** The recipe in force and the pattern that chose it; a simple preset has none. */
  readonly recipe: RecipeMatch | undefined;
  readonly problems: readonly Problem[];
}

const composeCheck = fieldsCheck(
  {
    ...resolveFields,
    preset: presetCheck,
    history: anyListCheck,
    summary: messageCheck,
    account: accountCheck,
  },
  ["preset"],
);

/**
 * Composes a preset and a history into the list of messages that a model reads, with a reason for each.
 *
 * @example
 * const presetMessages = [{ id: "main", type: "message", enabled: true, role: "system", content: "You are {{char}}." }];
 * const { messages, ledger } = composePreset({ preset: { presetMessages, variables: { char: "Mara" } } });
 * messages; // → [{ role: "system", content: "You are Mara." }]
 * ledger[0].fate; // → "kept"
 */
export function composePreset(input: ComposeInput): Composition {
  composeCheck(input, "");
  try {
    return compose(input);
  } catch (error) {
    throw explain(error, () => historyCheck(input.history ?? [], "history"));
  }
}

const historyCheck = listCheck(inputCheck(messageEntrySchema));

function compose(input: ComposeInput): Composition {
  const { preset, history = [], summary, account } = input;
  const resolved = resolvePreset(preset, input, history);
  const length = headLength(history);
  const [head, rest] = length === 0 ? [[], history] : [history.slice(0, length), history.slice(length)];
  const keepsBlank = preset.postProcessing?.keepBlank;
  const placement = placeItems({ resolved, head, history: rest, summary, keepsBlank });
  if (account) countRows(placement, account);
  const { messages, ledger } = postProcess(placement, resolved.postProcessing, resolved.isContinued);
  return { messages, ledger, recipe: resolved.recipe, problems: resolved.problems };
}

/** Before post-processing every message has one row, so that each input's own cost is known even if it is merged. */
export function countRows({ ledger, messages, historyFrom }: Placement, account: TokenAccount, counted = 0): void {
  for (let index = 0; index < ledger.length; index += 1) {
    // The history's rows may have been counted before, all of them.
    if (index === historyFrom) index += counted;
    const row = ledger[index];
    if (!row) break;
    const message = row.position === undefined ? undefined : messages[row.position];
    if (!message || row.tokens !== undefined) continue;
    const isPlain = row.kind !== "message" && typeof message.content === "string";
    row.tokens = isPlain ? account.countPlain(message.content) : account.countMessage(message);
  }
}
