import type { Activation } from "../../compose/activation/activation.ts";
import type { MessageTemplate } from "../../compose/preset/preset.ts";
import { readFields } from "../files/read-fields.ts";
import { whole } from "./entry-activation.ts";
import { cardText, normalizeNames } from "./example-dialogue.ts";
import { readNote } from "./read/read-tavern-chat.ts";
import type { EntryContext } from "./place-entries.ts";
import type { TavernNote, TavernScene } from "./tavern-files.ts";
import { type Piece, tavernMetadata } from "./tavern-pieces.ts";

/** Where and as whom something speaks. */
export type Speaking = Omit<EntryContext["note"], "id">;

/** In force where a chat has none: it says nothing and still carries entries. */
export const noNote: TavernNote = readNote(readFields({}));

/** A text of its own. */
export function textPiece(
  wantedId: string,
  text: string,
  { role, place, isActive }: Speaking,
  { freeId }: Pick<EntryContext, "freeId">,
  activation?: Activation,
  from = wantedId,
): Piece {
  const template: MessageTemplate = {
    id: freeId(wantedId),
    role,
    content: cardText(text),
    ...(activation ? { activation } : {}),
    metadata: tavernMetadata(from, { imported: cardText(text) }),
  };
  return { template, isEnabled: isActive, place };
}

/** The note between the entries above and below it. An empty one leaves an empty line between them. */
export function notePieces(scene: TavernScene, { note }: EntryContext): Piece[] {
  const { text } = scene.note ?? noNote;
  const hasEntries = scene.entries.some(({ entry }) => entry.position === 2 || entry.position === 3);
  if (text === "" && !hasEntries) return [];
  const rules = noteRules(scene);
  const template: MessageTemplate = {
    id: note.id,
    role: note.role,
    content: normalizeNames(text),
    keepsLine: true,
    ...(rules ? { activation: rules } : {}),
    metadata: tavernMetadata("note", { imported: normalizeNames(text) }),
  };
  return [{ template, isEnabled: note.isActive, place: note.place }];
}

/** A note that does not speak every time speaks at every n-th message of the user. */
export function noteRules({ note = noNote }: TavernScene): Activation | undefined {
  return note.interval > 1 ? { when: { everyUserMessages: whole(note.interval) } } : undefined;
}
