import { type InputCheck, textCheck, textsByNameCheck } from "../../model/check-input.ts";
import type { Problem } from "../../model/errors.ts";
import type { MessageEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { checkAnchorCycles } from "./anchor-cycles.ts";
import { expandPlaceholders, variableLookup } from "../macros/placeholders.ts";
import { type Preset, injectedMark, isAdvanced } from "./preset.ts";
import { type PresetItem, contentPath, itemsOfNodes, itemsOfRecipe, templatesById } from "./preset-items.ts";
import { type RecipeMatch, selectRecipe } from "./select-recipe.ts";
import type { QuotedChat } from "../macros/tavern-macro-library.ts";
import { tavernMacros } from "../macros/tavern-macros.ts";

export interface ResolveOptions {
  readonly model?: string | undefined;
  /** The text for `user_profile`. */
  readonly userProfile?: string | undefined;
  /** Values for `{{name}}`; they win over the preset's. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The time of the build, ISO 8601 with an offset, for `{{date}}` and `{{time}}`. */
  readonly now?: string | undefined;
}

/** What is asked of each field of the options. */
export const resolveFields: Readonly<Record<keyof ResolveOptions, InputCheck>> = {
  model: textCheck,
  userProfile: textCheck,
  variables: textsByNameCheck,
  now: textCheck,
};

export interface ResolvedItem extends PresetItem {
  /** The content with its placeholders filled in. */
  readonly text: string;
  /** True when the text may be another one as soon as the chat goes on. */
  readonly quotesChat: boolean;
}

export interface ResolvedPreset {
  /** The recipe in force; a simple preset has none. */
  readonly recipe: RecipeMatch | undefined;
  readonly items: readonly ResolvedItem[];
  readonly userProfile: string | undefined;
  /** True when some text may be another one as soon as the chat goes on. */
  readonly quotesChat: boolean;
  readonly problems: readonly Problem[];
}

/** Chooses the recipe and fills in the texts. The history is looked at only where a macro quotes it. */
export function resolvePreset(
  preset: Preset,
  options: ResolveOptions,
  history: readonly MessageEntry[],
): ResolvedPreset {
  const { model, now, variables } = options;
  const lookup = variableLookup({ variables: [variables, preset.variables], model, now });
  const problems: Problem[] = [];
  // A variable hands a quotation on, so that every macro behind one may say something else next time.
  let isQuoted = false;
  const chat = quoteHistory(history, () => {
    isQuoted = true;
  });
  const expand = preset.macros ? tavernMacros({ lookup, chat, now }) : undefined;
  const isMerged = preset.postProcessing?.mergeInjected === true;
  const fill = (text: string, path: () => string): string => {
    const unknown = new Set<string>();
    // The mark is not a placeholder: it is filled when the messages are merged.
    const onUnknown = (name: string): void => {
      if (!isMerged || `{{${name}}}` !== injectedMark) unknown.add(name);
    };
    const filled = expand ? expand(text, onUnknown) : expandPlaceholders(text, lookup, onUnknown);
    for (const name of unknown) problems.push(unknownPlaceholder(name, path()));
    return filled;
  };
  const recipe = isAdvanced(preset) ? selectRecipe(preset.contextRecipes ?? [], model) : undefined;
  const items = recipe
    ? itemsOfRecipe(templatesById(preset), recipe.recipe, recipe.index)
    : itemsOfNodes(preset.presetMessages ?? []);
  checkAnchorCycles(preset, recipe?.recipe, items);
  const resolved = items.map((item): ResolvedItem => {
    const text = item.enabled ? fill(item.content, () => contentPath(item)) : "";
    return Object.assign(item, { text, quotesChat: isQuoted && item.content.includes("{{") });
  });
  const userProfile = options.userProfile === undefined ? undefined : fill(options.userProfile, () => "userProfile");
  return { recipe, items: resolved, userProfile, quotesChat: isQuoted, problems };
}

function unknownPlaceholder(name: string, path: string): Problem {
  const message = `{{${name}}} has no value and is sent as it is.`;
  return { severity: "warning", code: "UnknownReference", message, path, hint: hintFor(name) };
}

function hintFor(name: string): string {
  if (name === "date" || name === "time") return "Give the build a `now`.";
  return `Give the build a variable ${JSON.stringify(name)}, or add it to the preset's variables.`;
}

/** The history as macros quote it: nothing is read before one does, and `onQuote` is called when one does. */
function quoteHistory(history: readonly MessageEntry[], onQuote: () => void): QuotedChat {
  return {
    get length() {
      onQuote();
      return history.length;
    },
    at(index) {
      onQuote();
      const entry = history.at(index);
      return entry && { role: entry.message.role, text: saidIn(entry.message) };
    },
  };
}

function saidIn({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
