import { type Activation, type ReplyKind, replyKinds } from "../../compose/activation/activation.ts";
import { idGiver } from "../../compose/preset/preset-items.ts";
import { type MessageTemplate, injectedMark } from "../../compose/preset/preset.ts";
import { cardText, normalizeNames, readExamples } from "./example-dialogue.ts";
import { historyPieces, replyPieces, templateOf } from "./history-pieces.ts";
import { type Speaking, noNote, notePieces, noteRules, textPiece } from "./note-pieces.ts";
import { type EntryContext, dialoguePieces, entryPieces, unplacedPieces } from "./place-entries.ts";
import type { TavernPrompt, TavernRole, TavernScene } from "./tavern-files.ts";
import { type Piece, type PiecePlace, depthPlace, listPlace, tavernMetadata } from "./tavern-pieces.ts";

export interface TavernLayout {
  readonly pieces: readonly Piece[];
  /** Prompts that the order does not name: kept, and used by nothing. */
  readonly unused: readonly MessageTemplate[];
  readonly hasHistory: boolean;
}

/** Markers that are sent behind everything else where an order does not name them. */
const neverAbsent = [
  "worldInfoBefore",
  "worldInfoAfter",
  "charDescription",
  "charPersonality",
  "scenario",
  "personaDescription",
];

/** The markers that stand behind an order that does not name them. */
export function absentMarkers(order: readonly { readonly identifier: string }[]): string[] {
  return neverAbsent.filter((name) => !order.some(({ identifier }) => identifier === name));
}

/** Every message with its place, in SillyTavern's order. */
export function layOut(scene: TavernScene): TavernLayout {
  const { preset, report } = scene;
  const prompts = new Map(preset.prompts.map((prompt) => [prompt.identifier, prompt]));
  const freeId = idGiver([...prompts.keys()]);
  const order = preset.order.filter(({ identifier }) => prompts.get(identifier)?.isSent);
  for (const { identifier } of preset.order) {
    if (!prompts.has(identifier))
      report.repaired(`prompt_order: ${identifier}`, "There is no such prompt; it is left out.");
    else if (!prompts.get(identifier)?.isSent)
      report.unsupported(`prompt_order: ${identifier}`, "SillyTavern has the prompt in its list and never sends it.");
  }
  const all = [...order, ...absentMarkers(order).map((identifier) => ({ identifier, isEnabled: true }))];
  const note = { ...notePlace(scene, freeId("authors-note")), id: freeId("note") };
  const skeleton = all.flatMap(({ identifier, isEnabled }) =>
    promptPieces(prompts.get(identifier) as TavernPrompt, isEnabled, scene, freeId),
  );
  const context: EntryContext = {
    names: { user: scene.user, character: scene.card.name },
    isGroup: scene.group.length > 0,
    note,
    freeId,
    report,
  };
  const pieces = withNoteAnchor(skeleton, note.place, scene);
  const used = new Set(all.map(({ identifier }) => identifier));
  const roleOf = (identifier: string): TavernRole => prompts.get(identifier)?.role ?? "system";
  return {
    pieces: [...pieces, ...injections(scene, context, roleOf), ...replyPieces(scene, freeId)],
    unused: preset.prompts
      .filter(({ identifier }) => !used.has(identifier))
      .map((prompt) => templateOf(prompt, normalizeNames(prompt.content))),
    hasHistory: order.some(({ identifier, isEnabled }) => identifier === "chatHistory" && isEnabled),
  };
}

function promptPieces(
  prompt: TavernPrompt,
  isEnabled: boolean,
  scene: TavernScene,
  freeId: (wanted: string) => string,
): Piece[] {
  const place: PiecePlace = prompt.injection
    ? depthPlace(prompt.injection.depth, "prompt", prompt.injection.order)
    : listPlace;
  if (prompt.identifier === "chatHistory") return historyPieces(prompt, isEnabled, scene, freeId);
  const template = templateOf(prompt, contentOf(prompt, scene));
  const replies = replyTriggers(prompt.triggers);
  return [{ template: { ...template, ...(replies && { activation: { replies } }) }, isEnabled, place }];
}

/** The kinds of reply that a prompt is for; nothing for one that is for all of them. */
export function replyTriggers(triggers: readonly string[]): ReplyKind[] | undefined {
  if (triggers.length === 0) return undefined;
  return triggers.filter((name): name is ReplyKind => replyKinds.some((kind) => kind === name));
}

function contentOf(prompt: TavernPrompt, { card, preset, persona }: TavernScene): string {
  switch (prompt.identifier) {
    case "main":
      return overridden(prompt, card.systemPrompt);
    case "jailbreak":
      return overridden(prompt, card.postHistory);
    case "worldInfoBefore":
    case "worldInfoAfter":
      return preset.worldInfoFormat.trim() === "{0}"
        ? ""
        : normalizeNames(preset.worldInfoFormat).replaceAll("{0}", () => injectedMark);
    case "charDescription":
      return cardText(card.description);
    case "charPersonality":
      return formatted(preset.personalityFormat, "personality", card.personality);
    case "scenario":
      return formatted(preset.scenarioFormat, "scenario", card.scenario);
    case "personaDescription":
      return persona && (persona.position === 0 || persona.position === 1) ? cardText(persona.text) : "";
    default:
      return prompt.isMarker ? "" : normalizeNames(prompt.content);
  }
}

/** A card may replace a prompt, and quote what it replaces once. */
function overridden(prompt: TavernPrompt, own: string): string {
  const original = normalizeNames(prompt.content);
  if (own === "" || prompt.forbidsOverrides) return original;
  let isQuoted = false;
  return cardText(own).replace(/\{\{\s*original\s*\}\}/gi, () => {
    const text = isQuoted ? "" : original;
    isQuoted = true;
    return text;
  });
}

function formatted(format: string, field: string, text: string): string {
  if (text === "" || format === "") return cardText(text);
  return normalizeNames(format).replace(new RegExp(`\\{\\{\\s*${field}\\s*\\}\\}`, "gi"), () => cardText(text));
}

function notePlace({ note = noNote }: TavernScene, anchor: string): Omit<EntryContext["note"], "id"> {
  const place: PiecePlace =
    note.position === 1 ? depthPlace(note.depth, "note") : { kind: "anchor", target: anchor, side: "after" };
  return { place, role: note.role, isActive: note.interval > 0 };
}

/** A note that stands beside the main prompt needs a place in the list. */
function withNoteAnchor(skeleton: readonly Piece[], place: PiecePlace, { note }: TavernScene): Piece[] {
  if (place.kind !== "anchor") return [...skeleton];
  const anchor: Piece = {
    template: { id: place.target, role: "placeholder", metadata: tavernMetadata("note-anchor") },
    isEnabled: true,
    place: listPlace,
  };
  const main = skeleton.findIndex((piece) => piece.template.id === "main");
  return skeleton.toSpliced(note?.position === 2 ? Math.max(main, 0) : main + 1, 0, anchor);
}

/** All that stands beside something or in the chat and comes from no prompt. */
function injections(scene: TavernScene, context: EntryContext, roleOf: (identifier: string) => TavernRole): Piece[] {
  const { entries, card, persona } = scene;
  const { note } = context;
  const personaAt = (position: number, speaks: Speaking, activation?: Activation): Piece[] =>
    persona?.position === position && persona.text !== ""
      ? [textPiece("persona", persona.text, speaks, context, activation)]
      : [];
  // The persona stands with the note, and only where that is sent.
  const beside = note.isActive ? noteRules(scene) : { nowhere: true };
  const isMarker = (piece: Piece, identifier: string): Piece => ({
    ...piece,
    template: { ...piece.template, role: roleOf(identifier) },
  });
  const { text, depth, role } = card.depthPrompt;
  const speaks = { role, place: depthPlace(depth, "card"), isActive: true };
  const examples = readExamples(card.examples, context.names);
  return [
    ...entryPieces(entries, 0, context).map((piece) => isMarker(piece, "worldInfoBefore")),
    ...entryPieces(entries, 1, context).map((piece) => isMarker(piece, "worldInfoAfter")),
    ...entryPieces(entries, 5, context),
    ...dialoguePieces("example", examples, "after", context),
    ...entryPieces(entries, 6, context),
    ...personaAt(2, note, beside),
    ...entryPieces(entries, 2, context),
    ...notePieces(scene, context),
    ...entryPieces(entries, 3, context),
    ...personaAt(3, note, beside),
    ...(text === "" ? [] : [textPiece("depth-prompt", text, speaks, context, undefined, "card")]),
    ...personaAt(4, {
      role: persona?.role ?? "system",
      place: depthPlace(persona?.depth ?? 0, "persona"),
      isActive: true,
    }),
    ...entryPieces(entries, 4, context),
    ...entryPieces(entries, 7, context),
    ...unplacedPieces(entries, context),
  ];
}
