import type { MessageTemplate } from "../../compose/preset/preset.ts";
import {
  type ExampleMessage,
  type SpeakerNames,
  maxDialogues,
  normalizeNames,
  readExamples,
} from "./example-dialogue.ts";
import type { ImportReport } from "../files/import-report.ts";
import type { TavernBook, TavernEntry, TavernRole } from "./tavern-files.ts";
import { type Piece, type PiecePlace, deepest, depthPlace, tavernMetadata } from "./tavern-pieces.ts";

/** Names one entry of one book. */
export interface EntryName {
  readonly world: string;
  readonly uid: number;
}

/** An entry on its way into the preset. */
export interface PlacedEntry {
  readonly book: TavernBook;
  readonly entry: TavernEntry;
  readonly isActive: boolean;
}

/** Which entries are on: those named, in the order in which they came on; all that are not disabled; or those that always are. */
export type Activation = readonly EntryName[] | "all" | "constant";

/**
 * All entries in the order in which they count as activated: the given one, else by falling `order`. Entries that wait
 * for their keywords follow, switched off: scanning is not part of an import [C15].
 */
export function activateEntries(books: readonly TavernBook[], activated: Activation): readonly PlacedEntry[] {
  const all = books.flatMap((book) => book.entries.map((entry) => ({ book, entry })));
  const candidates = all.toSorted((a, b) => b.entry.order - a.entry.order);
  const isOn = ({ entry }: Candidate): boolean => (entry.isConstant || activated === "all") && !entry.isDisabled;
  const active = typeof activated === "string" ? candidates.filter(isOn) : namedEntries(all, activated);
  const chosen = new Set(active);
  const rest = candidates.filter((one) => !chosen.has(one));
  return [...active.map((one) => ({ ...one, isActive: true })), ...rest.map((one) => ({ ...one, isActive: false }))];
}

type Candidate = Pick<PlacedEntry, "book" | "entry">;

function namedEntries(all: readonly Candidate[], names: readonly EntryName[]): readonly Candidate[] {
  const byName = new Map(all.map((one) => [nameOf(one.book.name, one.entry.uid), one]));
  return [...new Set(names.map(({ world, uid }) => nameOf(world, uid)))].flatMap((name) => byName.get(name) ?? []);
}

function nameOf(world: string, uid: number): string {
  return `${world}/${uid}`;
}

/** Higher `order` comes later, and of equals the one that was activated later comes first [X1]. */
function risingOrder(entries: readonly PlacedEntry[]): PlacedEntry[] {
  return fallingOrder(entries).toReversed();
}

export function fallingOrder(entries: readonly PlacedEntry[]): PlacedEntry[] {
  return entries.toSorted((a, b) => b.entry.order - a.entry.order);
}

export interface EntryContext {
  readonly names: SpeakerNames;
  /** Where and as whom the author's note speaks, and whether it does this time. */
  readonly note: { readonly place: PiecePlace; readonly role: TavernRole; readonly isActive: boolean };
  readonly freeId: (wanted: string) => string;
  readonly report: ImportReport;
}

/** The entries of one position as pieces, in the order in which they are sent. */
export function entryPieces(entries: readonly PlacedEntry[], position: number, context: EntryContext): Piece[] {
  const own = entries.filter(({ entry }) => entry.position === position && entry.content !== "");
  switch (position) {
    case 0:
    case 1: {
      const target = position === 0 ? "worldInfoBefore" : "worldInfoAfter";
      return risingOrder(own).map((one) => pieceOf(one, { kind: "anchor", target, side: "after" }, "system", context));
    }
    case 2:
    case 3: {
      const { place, role, isActive } = context.note;
      return risingOrder(own).map((one) =>
        pieceOf({ ...one, isActive: one.isActive && isActive }, place, role, context),
      );
    }
    case 4:
      return risingOrder(own).flatMap((one) => depthPiece(one, context));
    case 5:
      return fallingOrder(own).flatMap((one) => examplePieces(one, "before", context));
    case 6:
      return risingOrder(own).flatMap((one) => examplePieces(one, "after", context));
    default:
      return [];
  }
}

function pieceOf(one: PlacedEntry, place: PiecePlace, role: TavernRole, { freeId }: EntryContext): Piece {
  const { book, entry, isActive } = one;
  return {
    template: {
      id: freeId(nameOf(book.name, entry.uid)),
      role,
      content: normalizeNames(entry.content),
      ...(entry.comment === "" ? {} : { name: entry.comment }),
      metadata: entryMetadata(one),
    },
    isEnabled: isActive,
    place,
  };
}

function entryMetadata({ book, entry }: PlacedEntry): ReturnType<typeof tavernMetadata> {
  return tavernMetadata("entry", { book: book.name, uid: entry.uid, entry: entry.source });
}

function depthPiece(one: PlacedEntry, context: EntryContext): Piece[] {
  const { entry, book, isActive } = one;
  const depth = entry.depth ?? 0;
  const isReached = entry.depth !== undefined && depth <= deepest;
  if (!isReached && isActive) {
    context.report.unsupported(
      nameOf(book.name, entry.uid),
      "SillyTavern never sends an entry with this depth; it is switched off.",
    );
  }
  const place = depthPlace(depth, entry.depth === null ? "entry-without-depth" : "entry");
  return [pieceOf({ ...one, isActive: isActive && isReached }, place, entry.role, context)];
}

function examplePieces(one: PlacedEntry, side: "before" | "after", context: EntryContext): Piece[] {
  const id = nameOf(one.book.name, one.entry.uid);
  return dialoguePieces(id, readExamples(one.entry.content, context.names), side, one.isActive, context).map(
    (piece, index) => ({
      ...piece,
      template: {
        ...piece.template,
        metadata:
          index === 0
            ? tavernMetadata("entry", { ...(entryMetadata(one)["sillytavern"] as object), content: one.entry.content })
            : tavernMetadata("entry-part", { entry: id, imported: piece.template.content }),
      },
    }),
  );
}

/** A separator before each dialogue, then its messages. Each stays a message of its own. */
export function dialoguePieces(
  id: string,
  dialogues: readonly (readonly ExampleMessage[])[],
  side: "before" | "after",
  isEnabled: boolean,
  { freeId, report }: Pick<EntryContext, "freeId" | "report">,
): Piece[] {
  const place: PiecePlace = { kind: "anchor", target: "dialogueExamples", side };
  if (dialogues.length > maxDialogues) {
    report.unsupported(id, `Of ${dialogues.length} dialogues the first ${maxDialogues} are imported.`);
  }
  const pieceAt = (wantedId: string, said: Pick<MessageTemplate, "content" | "speaker">): Piece => ({
    template: { id: freeId(wantedId), role: "system", ...said, keepApart: true, metadata: tavernMetadata("example") },
    isEnabled,
    place,
  });
  return dialogues
    .slice(0, maxDialogues)
    .flatMap((messages, block) => [
      pieceAt(`${id}/${block + 1}`, { content: "{{newExample}}" }),
      ...messages.map((message, index) => pieceAt(`${id}/${block + 1}-${index + 1}`, message)),
    ]);
}
