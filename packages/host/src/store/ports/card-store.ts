import type { JsonObject, JsonValue } from "@galley/engine";

/** What a card can hold [H1]. */
export type CardContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: JsonValue }
  | { readonly kind: "fields"; readonly fields: readonly JsonValue[] }
  | {
      readonly kind: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | {
      readonly kind: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: JsonValue;
      readonly isError?: boolean;
    }
  | { readonly kind: "file"; readonly uri: string; readonly mediaType: string; readonly name?: string };

/** An immutable piece of content. Its id is unique within its project. */
export interface Card {
  readonly id: string;
  /** What it is for: `task.instruction`, `task.result_fields`, `meta.parent_pointer`, … */
  readonly type: string;
  readonly content: CardContent;
  readonly metadata: JsonObject;
  readonly authorId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** How a card came into a box: packed from an argument, inherited from another box, a pointer, or an agent's output. */
export type CardOrigin = "packed" | "inherited" | "pointer" | "output";

/** One place of a box: a card, and how it came there. */
export interface BoxItem {
  readonly cardId: string;
  readonly origin: CardOrigin;
}

/** A box that is to be made. Its cards are there already or are written with it. */
export interface NewBox {
  readonly id: string;
  readonly items: readonly BoxItem[];
  /** The boxes that it was made from, in order. */
  readonly parents?: readonly string[];
}

/** An ordered list of card ids. Appending makes a new version; the earlier ones can still be read. */
export interface Box {
  readonly id: string;
  /** 1 for a new box. */
  readonly version: number;
  readonly items: readonly BoxItem[];
  readonly parents: readonly string[];
  readonly createdAt: number;
}

/** A box with its cards in order; `undefined` where a card has been deleted. */
export interface HydratedBox extends Box {
  readonly cards: readonly (Card | undefined)[];
}

/** Cards and boxes that are written together. */
export interface Pack {
  readonly projectId: string;
  readonly cards: readonly Card[];
  readonly boxes: readonly NewBox[];
  readonly now: number;
}

/** What is put behind the cards of a box. */
export interface BoxAppend {
  readonly projectId: string;
  readonly boxId: string;
  /** New cards; those that are only referred to are not listed here. */
  readonly cards?: readonly Card[];
  readonly items: readonly BoxItem[];
  /** Refused with `BoxConflict` when the box has another version by now. */
  readonly expectedVersion?: number;
  readonly now: number;
}

/** A name under which a box can be found: an agent's profile. */
export interface Profile {
  readonly name: string;
  readonly boxId: string;
}

/**
 * Cards and boxes. Everything belongs to a project, and an id of another project is not found [H9]. Batch reads give one
 * answer for each id, in the order of the ids, also when one is asked for twice.
 */
export interface CardStore {
  /**
   * Writes cards and boxes, all or nothing. What is there already with the same content is left alone, so that a retry
   * adds nothing; with other content it is a `DuplicateId`. A box that names a card that nothing has is a `NotFound`.
   */
  pack(pack: Pack): Promise<void>;
  /** Makes a new version of a box and gives it. */
  append(append: BoxAppend): Promise<Box>;
  readCards(projectId: string, ids: readonly string[]): Promise<readonly (Card | undefined)[]>;
  /** The newest version of each box. */
  readBoxes(projectId: string, ids: readonly string[]): Promise<readonly (Box | undefined)[]>;
  /** One version of a box, by default the newest, with its cards. */
  openBox(projectId: string, id: string, version?: number): Promise<HydratedBox | undefined>;
  /** Removes cards for good; boxes keep their places. Gives the number of those that were there. */
  deleteCards(projectId: string, ids: readonly string[]): Promise<number>;
  /** Gives a box a name, or the name another box. */
  saveProfile(projectId: string, profile: Profile): Promise<void>;
  /** Takes a name away; the box stays. Says whether it was there. */
  deleteProfile(projectId: string, name: string): Promise<boolean>;
  findProfile(projectId: string, name: string): Promise<Profile | undefined>;
  listProfiles(projectId: string): Promise<readonly Profile[]>;
}
