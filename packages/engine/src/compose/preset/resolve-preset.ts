import { type InputCheck, numberCheck, oneOfCheck, textCheck, textsByNameCheck } from "../../model/check/input.ts";
import type { Problem } from "../../model/check/errors.ts";
import type { MessageEntry } from "../../model/entries.ts";
import type { ActiveReason } from "../../model/ledger.ts";
import { type ReplyKind, type TimedEffects, replyKinds } from "../activation/activation.ts";
import { type ScanFacts, saidIn, scanInput } from "./scan-input.ts";
import { type InactiveItem, type ItemActivation, activateItems } from "./activate-items.ts";
import { checkAnchorCycles } from "./anchor-cycles.ts";
import { type VariableLookup, expandPlaceholders, variableLookup } from "../macros/placeholders.ts";
import { type PostProcessing, type Preset, injectedMark, isAdvanced } from "./preset.ts";
import { type PresetItem, contentPath, itemsOfNodes, itemsOfRecipe, makeItem, templatesById } from "./preset-items.ts";
import { type RecipeMatch, selectRecipe } from "./select-recipe.ts";
import type { QuotedChat } from "../macros/tavern-macro-library.ts";
import { tavernMacros } from "../macros/tavern-macros.ts";

export interface ResolveOptions {
  readonly model?: string | undefined;
  /** Stands before everything that the preset sends, instead of the preset's own. */
  readonly systemPrompt?: string | undefined;
  /** The text for `user_profile`. */
  readonly userProfile?: string | undefined;
  /** Values for `{{name}}`; they win over the preset's. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The time of the build, ISO 8601 with an offset, for `{{date}}` and `{{time}}`. */
  readonly now?: string | undefined;
  /** What kind of reply is asked for; `normal` unless said otherwise. */
  readonly reply?: ReplyKind | undefined;
  /** What a quiet reply is asked for. */
  readonly replyPrompt?: string | undefined;
  /** Names the session and the alternate, for draws: the same seed and chat always draw the same [K2]. */
  readonly seed?: string | undefined;
  /** What every draw comes to, from 0 up to 1, instead. */
  readonly fixedDraw?: number | undefined;
}

/** What is asked of each field of the options. */
export const resolveFields: Readonly<Record<keyof ResolveOptions, InputCheck>> = {
  model: textCheck,
  systemPrompt: textCheck,
  userProfile: textCheck,
  variables: textsByNameCheck,
  now: textCheck,
  reply: oneOfCheck(replyKinds),
  replyPrompt: textCheck,
  seed: textCheck,
  fixedDraw: numberCheck,
};

export interface ResolvedItem extends PresetItem {
  /** The content with its placeholders filled in. */
  readonly text: string;
  /** True when the text may be another one as soon as the chat goes on. */
  readonly quotesChat: boolean;
  /** Of an item that comes and goes and is there: why. */
  readonly why?: ActiveReason | undefined;
  /** Among equals of one place, the lower one comes first. */
  readonly rank?: number | undefined;
  /** It came, and is sent nowhere by itself. */
  readonly isNowhere?: boolean;
  /** Of an item that comes and goes and is not there: why. */
  readonly inactive?: InactiveItem | undefined;
}

export interface ResolvedPreset {
  /** The recipe in force; a simple preset has none. */
  readonly recipe: RecipeMatch | undefined;
  readonly items: readonly ResolvedItem[];
  readonly userProfile: string | undefined;
  /** True when some text may be another one as soon as the chat goes on. */
  readonly quotesChat: boolean;
  /** True when some text may be another one at another time. */
  readonly tellsTime: boolean;
  readonly problems: readonly Problem[];
  /** What is to be recorded of the entries that stay or stay away; nothing when no item comes and goes. */
  readonly timed: TimedEffects | undefined;
  /** The ids of the items that came, in the order in which they came. */
  readonly activeIds: readonly string[];
  /** What the preset asks for, for the kind of reply that is wanted. */
  readonly postProcessing: PostProcessing | undefined;
  /** The reply is to go on with the newest message, and the preset says how. */
  readonly isContinued: boolean;
  /** The newest message of the history stands behind everything and counts for no depth. */
  readonly isPrefilled: boolean;
}

/** Chooses the recipe and fills in the texts. The history is looked at only where a macro quotes it. */
export function resolvePreset(
  preset: Preset,
  options: ResolveOptions,
  history: readonly MessageEntry[],
  facts?: ScanFacts,
): ResolvedPreset {
  const { model, reply = "normal" } = options;
  const texts = openTexts(preset, options, history);
  const { fill, lookup } = texts;
  const recipe = isAdvanced(preset) ? selectRecipe(preset.contextRecipes ?? [], model) : undefined;
  const items = recipe
    ? itemsOfRecipe(templatesById(preset), recipe.recipe, recipe.index)
    : itemsOfNodes(preset.presetMessages ?? []);
  checkAnchorCycles(preset, recipe?.recipe, items);
  const activation = activateItems(
    preset,
    recipe?.index ?? -1,
    items,
    scanInput({ preset, options, history, facts, items, fill, lookup }),
  );
  for (const [name, text] of activation?.outlets ?? []) texts.outlets.set(name, text);
  const resolved = items.map((item): ResolvedItem => {
    const own = stateOf(item, activation);
    const text =
      own?.text ?? (item.enabled && own?.enabled !== false ? fill(item.content, () => contentPath(item)) : "");
    const quotesChat = own !== undefined || (texts.looked.atChat && item.content.includes("{{"));
    return Object.assign(item, own, { text, quotesChat });
  });
  const profile = options.userProfile ?? preset.context?.userProfile ?? undefined;
  const userProfile = profile === undefined ? undefined : fill(profile, () => "userProfile");
  const systemPrompt = options.systemPrompt ?? preset.context?.systemPrompt ?? undefined;
  if (systemPrompt !== undefined) resolved.unshift(fragment("systemPrompt", systemPrompt));
  return {
    ...continuation(preset, reply, (text) => fill(text, () => "onContinue")),
    recipe,
    items: resolved,
    userProfile,
    quotesChat: texts.looked.atChat || activation !== undefined,
    tellsTime: texts.looked.atTime,
    problems: texts.problems,
    timed: activation?.timed,
    activeIds: activation?.ids ?? [],
  };
}

interface Texts {
  readonly lookup: VariableLookup;
  readonly fill: (text: string, path: () => string) => string;
  /** What `{{outlet::name}}` stands for, once it is known. */
  readonly outlets: Map<string, string>;
  readonly problems: Problem[];
  /** What the texts so far have asked for. */
  readonly looked: { readonly atTime: boolean; readonly atChat: boolean };
}

/** Fills in the macros of texts, one after the other, and notes what they looked at. */
function openTexts(preset: Preset, options: ResolveOptions, history: readonly MessageEntry[]): Texts {
  const { model, now, variables, reply, replyPrompt, fixedDraw } = options;
  const looked = { atTime: false, atChat: false };
  const quietPrompt = replyPrompt === undefined ? undefined : { replyprompt: replyPrompt };
  const onTime = (): void => void (looked.atTime = true);
  const lookup = variableLookup({
    variables: [variables, quietPrompt, preset.context?.variables ?? undefined, preset.variables],
    model,
    now,
    onTime,
  });
  const problems: Problem[] = [];
  // A variable hands a quotation on, so that every macro behind one may say something else next time.
  const chat = quoteHistory(history, () => void (looked.atChat = true));
  const outlets = new Map<string, string>();
  const isFirst = preset.macros === "sillytavern";
  const expand = preset.macros
    ? tavernMacros({ lookup, chat, now, onTime, fixedDraw, reply, outlets, isFirst })
    : undefined;
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
  return { lookup, fill, outlets, problems, looked };
}

/** What a reply that goes on with the newest message asks for. */
function continuation(
  { postProcessing, onContinue }: Preset,
  reply: ReplyKind,
  fill: (text: string) => string,
): Pick<ResolvedPreset, "postProcessing" | "isContinued" | "isPrefilled"> {
  if (reply !== "continue" || !onContinue) return { postProcessing, isContinued: false, isPrefilled: false };
  const { nudge = "", prefill = false } = onContinue;
  const text = prefill ? "" : fill(nudge);
  return {
    postProcessing: text === "" ? postProcessing : { ...postProcessing, continueLast: text },
    isContinued: true,
    isPrefilled: prefill,
  };
}

/** What a scan says of an item. */
function stateOf(item: PresetItem, activation: ItemActivation | undefined): Partial<ResolvedItem> | undefined {
  const on = activation?.active.get(item);
  if (on) {
    const { text, why, rank, isNowhere } = on;
    return { ...(text === undefined ? {} : { text }), why, rank, isNowhere };
  }
  const inactive = activation?.inactive.get(item);
  return inactive && { enabled: false, inactive };
}

/** A system text that no preset holds, such as the system prompt, in list order and sent as it is. */
export function fragment(id: string, text: string): ResolvedItem {
  return Object.assign(makeItem({ source: "fragment", id, content: text }), { text, quotesChat: false });
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
    get lastId() {
      onQuote();
      const at = history.findLastIndex((entry) => entry.said?.line !== undefined);
      const line = history[at]?.said?.line;
      return line === undefined ? undefined : line + history.length - 1 - at;
    },
    at(index) {
      onQuote();
      const entry = history.at(index);
      return entry && { role: entry.message.role, text: entry.said?.text ?? saidIn(entry.message), ts: entry.ts };
    },
  };
}
