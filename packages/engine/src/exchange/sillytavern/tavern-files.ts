import type { JsonObject } from "../../model/messages.ts";

// What SillyTavern's files say, with every field that the assembly reads in one place and under one name. `source` holds
// the rest as it was written, so that an export loses nothing.

export type TavernRole = "system" | "user" | "assistant";

/** One entry of a world info book. */
export interface TavernEntry {
  readonly uid: number;
  readonly keys: readonly string[];
  readonly comment: string;
  readonly content: string;
  readonly isConstant: boolean;
  readonly isDisabled: boolean;
  readonly order: number;
  /** 0 before and 1 after the character, 2 and 3 around the author's note, 4 at a depth, 5 and 6 around the examples, 7 an outlet. */
  readonly position: number | undefined;
  /** `null` stands for an entry that says so, which counts as depth 0 behind the others. */
  readonly depth: number | null | undefined;
  readonly role: TavernRole;
  readonly outlet: string;
  readonly source: JsonObject;
}

export interface TavernBook {
  readonly kind: "world-info";
  readonly name: string;
  readonly entries: readonly TavernEntry[];
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
  readonly depthPrompt: { readonly text: string; readonly depth: number; readonly role: TavernRole };
  /** The book inside the card. SillyTavern does not use it before the user imports it. */
  readonly book: TavernBook | undefined;
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
  /** -1 none, 0 only in groups, 1 as the message's name, 2 always before the text. */
  readonly namesBehavior: number;
  readonly isSquashed: boolean;
  readonly isQuoted: boolean;
  readonly source: JsonObject;
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
}

export interface TavernLine {
  readonly name: string;
  readonly text: string;
  readonly role: TavernRole;
  readonly isUser: boolean;
  readonly isHidden: boolean;
  readonly isNarrator: boolean;
  /** True when the line says which avatar it has, as lines of groups and of other speakers do. */
  readonly hasAvatar: boolean;
  readonly ts: string | number;
  readonly swipes: readonly string[];
}

export interface TavernChat {
  readonly kind: "chat";
  readonly user: string | undefined;
  readonly character: string | undefined;
  readonly note: TavernNote | undefined;
  /** What this chat says instead of the card; empty where it says nothing. */
  readonly overrides: { readonly scenario: string; readonly examples: string; readonly systemPrompt: string };
  readonly lines: readonly TavernLine[];
}

export type TavernFile = TavernBook | TavernCard | TavernPreset | TavernNote | TavernPersona | TavernChat;
export type TavernKind = TavernFile["kind"];

/** Of nesting: what was read becomes a part of a preset, which has a few more and may not have too many. */
export const maxLevels = 150;

export const tavernKinds: readonly TavernKind[] = ["world-info", "card", "preset", "authors-note", "persona", "chat"];

/** Roles are numbers in some files and words in others. */
export function readRole(value: unknown): TavernRole {
  if (value === 1 || value === "1" || value === "user") return "user";
  if (value === 2 || value === "2" || value === "assistant") return "assistant";
  return "system";
}
