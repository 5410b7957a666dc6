import type { RecordedEffect } from "../../model/entries.ts";

/** What kind of reply a build asks for. Entries and prompts may be meant for some of them only. */
export type ReplyKind = (typeof replyKinds)[number];
/** All kinds of reply. */
export const replyKinds = ["normal", "continue", "impersonate", "swipe", "regenerate", "quiet"] as const;

/** How secondary keys count once a key was found: one of them, not all, none, or all of them. */
type SecondaryLogic = (typeof secondaryLogics)[number];
export const secondaryLogics = ["and-any", "not-all", "not-any", "and-all"] as const;

/** Who a book belongs to; it decides which entries are looked at first. */
export type BookOwner = (typeof bookOwners)[number];
export const bookOwners = ["chat", "persona", "character", "global"] as const;

/** What the chat and the model must be like, besides the keys. */
export interface ActivationCondition {
  /** How many messages the chat has, at least and at most. */
  readonly minMessages?: number;
  readonly maxMessages?: number;
  /** Only where the number of the user's messages is a multiple of this. */
  readonly everyUserMessages?: number;
  /** Who spoke last. */
  readonly lastRole?: "user" | "assistant";
  /** Model ids; `*` stands for any text. */
  readonly models?: readonly string[];
  /** One of the tags of `ActivationSettings.character`. */
  readonly tags?: readonly string[];
}

/** Which characters an entry is for. Names and tags must both fit. */
export interface CharacterFilter {
  readonly names?: readonly string[];
  readonly tags?: readonly string[];
  /** True turns it round: it is for all others. */
  readonly exclude?: boolean;
}

/**
 * Makes a message one that comes and goes with the chat [K1]: an entry of a lorebook. Without `keys`, `constant` or `when` it
 * never comes by itself.
 */
export interface Activation {
  /** The book it is an entry of, and its number there: what recorded facts call it. */
  readonly book?: string;
  readonly uid?: number | string;
  /** Any one suffices. `/pattern/flags` is a regular expression; all else is text. */
  readonly keys?: readonly string[];
  readonly secondaryKeys?: readonly string[];
  readonly logic?: SecondaryLogic;
  /** It needs no key. */
  readonly constant?: boolean;
  /** How many of the newest messages are read for it. */
  readonly scanDepth?: number;
  readonly caseSensitive?: boolean;
  readonly wholeWords?: boolean;
  /** Looked at earlier where it is higher; 100 unless said otherwise. */
  readonly order?: number;
  /** Out of 100. */
  readonly probability?: number;
  /** Of the entries of one group, one comes. Several are separated by commas. */
  readonly group?: string;
  readonly groupOverride?: boolean;
  readonly groupWeight?: number;
  readonly groupScoring?: boolean;
  /** In messages: how long it stays once it has come, how long it then stays away, and before which it does not come. */
  readonly sticky?: number;
  readonly cooldown?: number;
  readonly delay?: number;
  /** It does not come by the texts of other entries. */
  readonly excludeRecursion?: boolean;
  /** No other entry comes by its text. */
  readonly preventRecursion?: boolean;
  /** It comes by the texts of other entries only; levels follow each other. */
  readonly delayUntilRecursion?: number;
  readonly ignoreBudget?: boolean;
  /** The kinds of reply it is for; all of them unless said. */
  readonly replies?: readonly ReplyKind[];
  readonly characters?: CharacterFilter;
  /** Names of variables whose values are read like messages. */
  readonly sources?: readonly string[];
  readonly when?: ActivationCondition;
  /** True: comes whatever its keys say. False: never comes. */
  readonly forced?: boolean;
  /** It becomes the value of `{{outlet::name}}` and is not a message. */
  readonly outlet?: string;
  /** It counts, and is sent nowhere. */
  readonly nowhere?: boolean;
  /** The id of the template it belongs to: it comes and goes with that one and has no rules of its own. */
  readonly with?: string;
  /** The id of a template: it counts in any case, and is sent only where that one is there. */
  readonly needs?: string;
  /** Read and counted instead of the content, where the content is only a part of it. */
  readonly text?: string;
  /** In presets that are ordered as SillyTavern does: whether a higher order comes later or first. */
  readonly sequence?: "rising" | "falling";
  /** Of those of one depth and role, SillyTavern sends the texts of one slot only: the one that is begun last. */
  readonly slot?: string;
  /** Of the entry as its file has it: an edit makes it another one for the effects that were recorded. */
  readonly hash?: number;
}

/** What holds for all entries of a preset [K1]. */
export interface ActivationSettings {
  /** `sillytavern`: texts of one place stand as that program puts them, and its slips are kept. */
  readonly like?: "sillytavern";
  /** How many of the newest messages are read; 2 unless said otherwise. */
  readonly scanDepth?: number;
  /** Reads further back until this many have come, and at most this far. */
  readonly minActivations?: number;
  readonly maxScanDepth?: number;
  /** What all entries together may cost: a share of the window in percent, and a number of tokens. */
  readonly budgetPercent?: number;
  readonly budgetTokens?: number;
  /** Whether the speaker's name is read as well; true unless said otherwise. */
  readonly readsNames?: boolean;
  /** Whether entries come by the texts of others; true unless said otherwise. */
  readonly recursive?: boolean;
  /** How many rounds there may be. */
  readonly maxRounds?: number;
  readonly caseSensitive?: boolean;
  /** True unless said otherwise. */
  readonly wholeWords?: boolean;
  readonly groupScoring?: boolean;
  /** Which books come first, behind those of the chat and the persona. */
  readonly strategy?: "evenly" | "character-first" | "global-first";
  /** In the order in which they are looked at. A book that is not named here belongs to all. */
  readonly books?: readonly { readonly name: string; readonly owner: BookOwner }[];
  /** Who speaks, for the entries that are meant for some characters only. */
  readonly character?: { readonly name?: string; readonly tags?: readonly string[] };
  /** Texts that are read like messages, with their macros filled in. */
  readonly reads?: readonly string[];
  /** Only these come, in this order, and nothing is read. */
  readonly given?: readonly { readonly book: string; readonly uid: number | string }[];
}

/** What stays and what stays away, by `book.uid` [K2]. */
export interface TimedEffects {
  readonly sticky: Readonly<Record<string, RecordedEffect>>;
  readonly cooldown: Readonly<Record<string, RecordedEffect>>;
}

export const noEffects: TimedEffects = { sticky: {}, cooldown: {} };

/** What is recorded of an entry is recorded under this name. */
export function effectKey({ id, activation: { book = "", uid = id } }: { id: string; activation: Activation }): string {
  return `${book}.${uid}`;
}
