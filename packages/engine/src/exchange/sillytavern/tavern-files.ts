import type { BookOwner, TimedEffects } from "../../compose/activation/activation.ts";
import type { JsonObject } from "../../model/messages.ts";
import type { ImportReport } from "../files/import-report.ts";

// What SillyTavern's files say, with every field that the assembly reads in one place and under one name. `source` holds
// the rest as it was written, so that an export loses nothing.

export type TavernRole = "system" | "user" | "assistant";

/** One entry of a world info book. */
export interface TavernEntry {
  /** What its book calls it; often the uid. */
  readonly key: string;
  readonly uid: number;
  readonly keys: readonly string[];
  readonly comment: string;
  readonly content: string;
  readonly isConstant: boolean;
  readonly isDisabled: boolean;
  /** Some files have none. */
  readonly order: number | undefined;
  /** 0 before and 1 after the character, 2 and 3 around the author's note, 4 at a depth, 5 and 6 around the examples, 7 an outlet. */
  readonly position: number | undefined;
  /** `null` stands for an entry that says so, which counts as depth 0 behind the others. */
  readonly depth: number | null | undefined;
  /** True where the depth is written as text, which SillyTavern takes for another one. */
  readonly isDepthText: boolean;
  readonly role: TavernRole;
  readonly outlet: string;
  /** What its decorators say: that it comes in any case, or never. */
  readonly forced: boolean | undefined;
  /** Of the entry as its book has it, under which SillyTavern records what stays and what stays away. */
  readonly hash: number;
  /** The lines before the content that steer the entry. */
  readonly prefix: string;
  /** All fields in their order; in the place of the content stands `true`. */
  readonly source: JsonObject;
  /** The same as the book inside a card has it, where it comes from one. */
  readonly inCard?: JsonObject;
}

export interface TavernBook {
  readonly kind: "world-info";
  readonly name: string;
  readonly entries: readonly TavernEntry[];
  /** All fields in their order; in the place of the entries stands how they are listed. */
  readonly source: JsonObject;
}

export interface TavernCard {
  readonly kind: "card";
  readonly name: string;
  readonly description: string;
  readonly personality: string;
  readonly scenario: string;
  readonly greeting: string;
  readonly examples: string;
  readonly systemPrompt: string;
  readonly postHistory: string;
  readonly creatorNotes: string;
  readonly version: string;
  readonly otherGreetings: readonly string[];
  readonly tags: readonly string[];
  /** The book that is linked to it. */
  readonly world: string;
  readonly depthPrompt: { readonly text: string; readonly depth: number; readonly role: TavernRole };
  /** The book inside the card. SillyTavern does not use it before the user imports it. */
  readonly book: TavernBook | undefined;
  /** The whole document. */
  readonly source: JsonObject;
}

export interface TavernPrompt {
  readonly identifier: string;
  readonly name: string;
  readonly role: TavernRole;
  readonly content: string;
  readonly isMarker: boolean;
  /** Set when it stands in the chat and not in its place in the list. */
  readonly injection: { readonly depth: number; readonly order: number } | undefined;
  readonly forbidsOverrides: boolean;
  /** False for one that SillyTavern has in its list and never sends. */
  readonly isSent: boolean;
  /** The kinds of reply for which it is sent; empty for all of them. */
  readonly triggers: readonly string[];
  readonly source: JsonObject;
}

/** A chat-completion preset. */
export interface TavernPreset {
  readonly kind: "preset";
  readonly name: string;
  readonly prompts: readonly TavernPrompt[];
  readonly order: readonly { readonly identifier: string; readonly isEnabled: boolean }[];
  readonly newChat: string;
  readonly newExample: string;
  readonly worldInfoFormat: string;
  readonly scenarioFormat: string;
  readonly personalityFormat: string;
  readonly continueNudge: string;
  readonly isContinuePrefilled: boolean;
  readonly impersonation: string;
  readonly newGroupChat: string;
  readonly groupNudge: string;
  readonly sendIfEmpty: string;
  /** -1 none, 0 only in groups, 1 as the message's name, 2 always before the text. */
  readonly namesBehavior: number;
  readonly isSquashed: boolean;
  readonly isQuoted: boolean;
  /** What is in the file besides the prompts and their order. */
  readonly source: JsonObject;
  /** The whole document, in which the prompts that were read are their identifiers; nothing where there was no file. */
  readonly document: JsonObject | undefined;
}

export interface TavernNote {
  readonly kind: "authors-note";
  readonly text: string;
  readonly interval: number;
  /** 0 behind the main prompt, 1 in the chat, 2 before the main prompt. */
  readonly position: number;
  readonly depth: number;
  readonly role: TavernRole;
}

export interface TavernPersona {
  readonly kind: "persona";
  readonly name: string;
  readonly text: string;
  /** 0 in the prompt, 2 and 3 around the author's note, 4 at a depth, 9 not at all. */
  readonly position: number;
  readonly depth: number;
  readonly role: TavernRole;
  /** The book of this persona. */
  readonly world: string;
  /** All personas of its file, where there are several. */
  readonly others?: readonly TavernPersona[];
}

/** The settings of world info, from SillyTavern's settings file. */
export interface TavernSettings {
  readonly kind: "settings";
  readonly worldInfo: JsonObject;
  /** Books that are on in every chat. */
  readonly worlds: readonly string[];
}

export interface TavernLine {
  readonly name: string;
  readonly text: string;
  readonly role: TavernRole;
  readonly isUser: boolean;
  readonly isHidden: boolean;
  readonly isNarrator: boolean;
  /** Where it stands among all lines, hidden ones too. */
  readonly index: number;
  /** True when the line says which avatar it has, as lines of groups and of other speakers do. */
  readonly hasAvatar: boolean;
  readonly ts: string | number;
  readonly swipes: readonly string[];
  /** The whole line; nothing for one that no file has. */
  readonly source: JsonObject | undefined;
}

export interface TavernChat {
  readonly kind: "chat";
  /** The first line; chats of old groups have none. */
  readonly header: JsonObject | undefined;
  readonly user: string | undefined;
  readonly character: string | undefined;
  readonly note: TavernNote | undefined;
  /** What this chat says instead of the card; empty where it says nothing. */
  /** The variables that its macros have set. */
  readonly variables: Readonly<Record<string, string>>;
  /** Which entries stay, and which stay away. */
  readonly timed: TimedEffects | undefined;
  /** The book of this chat. */
  readonly world: string;
  /** What else its header says; it has no effect. */
  readonly ignored: readonly string[];
  readonly overrides: { readonly scenario: string; readonly examples: string; readonly systemPrompt: string };
  readonly lines: readonly TavernLine[];
}

export type TavernFile =
  | TavernBook
  | TavernCard
  | TavernPreset
  | TavernNote
  | TavernPersona
  | TavernChat
  | TavernSettings;
export type TavernKind = TavernFile["kind"];

/** An entry on its way into the preset. */
export interface PlacedEntry {
  readonly book: TavernBook;
  readonly entry: TavernEntry;
  /** False when it is switched off, in its book or with it. */
  readonly isEnabled: boolean;
}

/** All that SillyTavern would have loaded. */
export interface TavernScene {
  readonly card: TavernCard;
  /** Those that were given, as they were read. */
  readonly cards: readonly TavernCard[];
  readonly preset: TavernPreset;
  readonly chat: TavernChat | undefined;
  readonly persona: TavernPersona | undefined;
  readonly note: TavernNote | undefined;
  readonly settings: TavernSettings | undefined;
  readonly books: readonly OwnedBook[];
  /** Of all books, in their order. */
  readonly entries: readonly PlacedEntry[];
  readonly user: string;
  /** All cards of a group, the one that speaks first; empty where there is one card. */
  readonly group: readonly TavernCard[];
  /** Books inside the card that are not in use. */
  readonly idleBooks: readonly TavernBook[];
  readonly report: ImportReport;
}

/** A book and who it belongs to. */
export interface OwnedBook {
  readonly book: TavernBook;
  readonly owner: BookOwner;
}

/** Of nesting: what was read becomes a part of a preset, which has a few more and may not have too many. */
export const maxLevels = 150;

export const tavernKinds: readonly TavernKind[] = [
  "world-info",
  "card",
  "preset",
  "authors-note",
  "persona",
  "chat",
  "settings",
];

/** Roles are numbers in some files and words in others. */
export function readRole(value: unknown): TavernRole {
  if (value === 1 || value === "1" || value === "user") return "user";
  if (value === 2 || value === "2" || value === "assistant") return "assistant";
  return "system";
}
