import type { BookOwner } from "../../compose/activation/activation.ts";
import type { ImportReport } from "../files/import-report.ts";
import type { PlacedEntry } from "./place-entries.ts";
import type {
  TavernBook,
  TavernCard,
  TavernChat,
  TavernNote,
  TavernPersona,
  TavernPreset,
  TavernSettings,
} from "./tavern-files.ts";

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
