import type { Activation } from "../../compose/activation/activation.ts";
import type { MessageTemplate } from "../../compose/preset/preset.ts";
import { activationOf } from "./entry-activation.ts";
import {
  type ExampleMessage,
  type SpeakerNames,
  maxDialogues,
  normalizeNames,
  readExamples,
} from "./example-dialogue.ts";
import type { ImportReport } from "../files/import-report.ts";
import type { TavernRole, PlacedEntry } from "./tavern-files.ts";
import { type Piece, type PiecePlace, deepest, depthPlace, tavernMetadata } from "./tavern-pieces.ts";

/** Names one entry of one book. */
export interface EntryName {
  readonly world: string;
  readonly uid: number;
}

/** Which entries come: those that the chat asks for, or only those named, in the order in which they came. */
export type Activated = readonly EntryName[];

export interface EntryContext {
  readonly names: SpeakerNames;
  readonly isGroup: boolean;
  /** Where and as whom the author's note speaks, whether it ever does, and the template it is. */
  readonly note: {
    readonly place: PiecePlace;
    readonly role: TavernRole;
    readonly isActive: boolean;
    readonly id: string;
  };
  readonly freeId: (wanted: string) => string;
  readonly report: ImportReport;
}

/** Where the texts of one position stand; nothing for positions that name no place. */
export function entryPieces(entries: readonly PlacedEntry[], position: number, context: EntryContext): Piece[] {
  const own = entries.filter(({ entry }) => entry.position === position);
  switch (position) {
    case 0:
    case 1: {
      const target = position === 0 ? "worldInfoBefore" : "worldInfoAfter";
      const place: PiecePlace = { kind: "anchor", target, side: "after" };
      return own.map((one) => pieceOf(one, place, "system", { sequence: "rising" }, context));
    }
    case 2:
    case 3: {
      const { place, role, isActive, id } = context.note;
      const rules: Activation = { sequence: "rising", ...(isActive ? { needs: id } : { nowhere: true }) };
      return own.map((one) => pieceOf(one, place, role, rules, context));
    }
    case 4:
      return own.map((one) => depthPiece(one, context));
    case 5:
      return own.flatMap((one) => examplePieces(one, "before", context));
    case 6:
      return own.flatMap((one) => examplePieces(one, "after", context));
    case 7:
      return own.map((one) => {
        const { outlet } = one.entry;
        return pieceOf(one, { kind: "list" }, "system", outlet === "" ? { nowhere: true } : { outlet }, context);
      });
    default:
      return [];
  }
}

/** Entries whose position SillyTavern does not know: they count, and are sent nowhere. */
export function unplacedPieces(entries: readonly PlacedEntry[], context: EntryContext): Piece[] {
  return entries
    .filter(
      ({ entry: { position } }) =>
        position === undefined || !Number.isInteger(position) || position < 0 || position > 7,
    )
    .map((one) => pieceOf(one, { kind: "list" }, "system", { nowhere: true }, context));
}

function nameOf({ book, entry }: PlacedEntry): string {
  return `${book.name}/${entry.uid}`;
}

function pieceOf(
  one: PlacedEntry,
  place: PiecePlace,
  role: TavernRole,
  rules: Activation,
  { freeId }: Pick<EntryContext, "freeId">,
): Piece {
  const { book, entry, isEnabled } = one;
  return {
    template: {
      id: freeId(nameOf(one)),
      role,
      content: normalizeNames(entry.content),
      ...(entry.comment === "" ? {} : { name: entry.comment }),
      activation: { ...activationOf(book.name, entry), ...rules },
      metadata: entryMetadata(one),
    },
    isEnabled,
    place,
  };
}

function entryMetadata({ book, entry }: PlacedEntry): ReturnType<typeof tavernMetadata> {
  const { key, uid, prefix, source, inCard } = entry;
  return tavernMetadata("entry", {
    book: book.name,
    uid,
    ...(key === String(uid) ? {} : { key }),
    ...(prefix === "" ? {} : { prefix }),
    ...(inCard ? { inCard } : { entry: source }),
    imported: normalizeNames(entry.content),
    ...(normalizeNames(entry.content) === entry.content ? {} : { content: entry.content }),
  });
}

function depthPiece(one: PlacedEntry, context: EntryContext): Piece {
  const { entry } = one;
  const depth = entry.depth ?? 0;
  const isReached = entry.depth !== undefined && depth <= deepest;
  if (!isReached && one.isEnabled)
    context.report.unsupported(nameOf(one), "SillyTavern never sends an entry with this depth; neither does Galley.");
  const place = depthPlace(depth, entry.depth === null ? "entry-without-depth" : "entry");
  const rules: Activation = {
    sequence: "rising",
    ...(isReached ? {} : { nowhere: true }),
    ...(entry.isDepthText ? { slot: "text" } : {}),
  };
  return pieceOf(one, place, entry.role, rules, context);
}

/** The separator and the messages of a dialogue come and go together. */
function examplePieces(one: PlacedEntry, side: "before" | "after", context: EntryContext): Piece[] {
  const sequence = side === "before" ? "falling" : "rising";
  const pieces = dialoguePieces(nameOf(one), readExamples(one.entry.content, context.names), side, context);
  const [first, ...rest] = pieces;
  const own = activationOf(one.book.name, one.entry);
  if (!first) return [pieceOf(one, { kind: "list" }, "system", { nowhere: true }, context)];
  const text = normalizeNames(one.entry.content);
  return [
    {
      ...first,
      isEnabled: one.isEnabled,
      template: {
        ...first.template,
        activation: { ...own, sequence, text },
        metadata: tavernMetadata("entry", {
          ...(entryMetadata(one)["sillytavern"] as object),
          imported: first.template.content,
          content: one.entry.content,
        }),
      },
    },
    ...rest.map((piece) => ({
      ...piece,
      isEnabled: one.isEnabled,
      template: {
        ...piece.template,
        activation: { with: first.template.id },
        metadata: tavernMetadata("entry-part", { entry: nameOf(one), imported: piece.template.content }),
      },
    })),
  ];
}

/** A separator before each dialogue, then its messages. Each stays a message of its own; all give way to the history. */
export function dialoguePieces(
  id: string,
  dialogues: readonly (readonly ExampleMessage[])[],
  side: "before" | "after",
  { freeId, report, names, isGroup }: Pick<EntryContext, "freeId" | "report" | "names" | "isGroup">,
): Piece[] {
  const place: PiecePlace = { kind: "anchor", target: "dialogueExamples", side };
  if (dialogues.length > maxDialogues) {
    report.unsupported(id, `Of ${dialogues.length} dialogues the first ${maxDialogues} are imported.`);
  }
  const pieceAt = (
    wantedId: string,
    block: string,
    priority: number,
    said: Pick<MessageTemplate, "content" | "speaker">,
  ): Piece => ({
    template: {
      id: freeId(wantedId),
      role: "system",
      ...said,
      keepApart: true,
      priority,
      priorityBlock: block,
      metadata: tavernMetadata("example", { imported: said.content }),
    },
    isEnabled: true,
    place,
  });
  const named = ({ speaker, content }: ExampleMessage): ExampleMessage => {
    const name = speaker === "example_user" ? names.user : names.character;
    return { speaker, content: isGroup ? `${name}: ${content}` : content };
  };
  return dialogues.slice(0, maxDialogues).flatMap((messages, index) => {
    const block = `${id}/${index + 1}`;
    return [
      pieceAt(block, block, -index, { content: "{{newExample}}" }),
      ...messages.map((message, at) => pieceAt(`${block}-${at + 1}`, block, -index, named(message))),
    ];
  });
}
