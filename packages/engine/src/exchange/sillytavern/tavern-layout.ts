import { type MessageTemplate, injectedMark } from "../../compose/preset/preset.ts";
import type { JsonObject } from "../../model/messages.ts";
import { normalizeNames, readExamples } from "./example-dialogue.ts";
import type { ImportReport } from "../files/import-report.ts";
import { type EntryContext, type PlacedEntry, dialoguePieces, entryPieces } from "./place-entries.ts";
import type {
  TavernBook,
  TavernCard,
  TavernChat,
  TavernNote,
  TavernPersona,
  TavernPreset,
  TavernPrompt,
} from "./tavern-files.ts";
import { type Piece, type PiecePlace, depthPlace, tavernMetadata, trimEnds } from "./tavern-pieces.ts";

/** All that SillyTavern would have loaded. */
export interface TavernScene {
  readonly card: TavernCard;
  readonly preset: TavernPreset;
  readonly chat: TavernChat | undefined;
  readonly persona: TavernPersona | undefined;
  readonly note: TavernNote | undefined;
  readonly entries: readonly PlacedEntry[];
  readonly user: string;
  /** The next message goes on with the last one. */
  readonly isContinued: boolean;
  /** Books inside the card that are not in use. */
  readonly idleBooks: readonly TavernBook[];
  readonly report: ImportReport;
}

export interface TavernLayout {
  readonly pieces: readonly Piece[];
  /** Prompts that the order does not name: kept, and used by nothing. */
  readonly unused: readonly MessageTemplate[];
  readonly hasHistory: boolean;
}

const listPlace: PiecePlace = { kind: "list" };
const noNote: TavernNote = { kind: "authors-note", text: "", interval: 1, position: 1, depth: 4, role: "system" };
/** Markers that are sent behind everything else where an order does not name them. */
const neverAbsent = [
  "worldInfoBefore",
  "worldInfoAfter",
  "charDescription",
  "charPersonality",
  "scenario",
  "personaDescription",
];

/** Every message with its place, in SillyTavern's order. */
export function layOut(scene: TavernScene): TavernLayout {
  const { preset, report } = scene;
  const prompts = new Map(preset.prompts.map((prompt) => [prompt.identifier, prompt]));
  const freeId = idGiver([...prompts.keys()]);
  const order = preset.order.filter(({ identifier }) => prompts.has(identifier));
  for (const { identifier } of preset.order) {
    if (!prompts.has(identifier))
      report.repaired(`prompt_order: ${identifier}`, "There is no such prompt; it is left out.");
  }
  const absent = neverAbsent.filter((name) => !order.some(({ identifier }) => identifier === name));
  const all = [...order, ...absent.map((identifier) => ({ identifier, isEnabled: true }))];
  const note = notePlace(scene, freeId("authors-note"));
  const newChat = freeId("new-chat");
  const skeleton = all.flatMap(({ identifier, isEnabled }) =>
    promptPieces(prompts.get(identifier) as TavernPrompt, isEnabled, scene, newChat),
  );
  const context: EntryContext = { names: { user: scene.user, character: scene.card.name }, note, freeId, report };
  const pieces = withNoteAnchor(skeleton, note.place, scene);
  const used = new Set(all.map(({ identifier }) => identifier));
  return {
    pieces: [...pieces, ...injections(scene, context)],
    unused: preset.prompts
      .filter(({ identifier }) => !used.has(identifier))
      .map((prompt) => templateOf(prompt, normalizeNames(prompt.content))),
    hasHistory: order.some(({ identifier, isEnabled }) => identifier === "chatHistory" && isEnabled),
  };
}

function promptPieces(prompt: TavernPrompt, isEnabled: boolean, scene: TavernScene, newChat: string): Piece[] {
  const { preset } = scene;
  const place: PiecePlace = prompt.injection
    ? depthPlace(prompt.injection.depth, "prompt", prompt.injection.order)
    : listPlace;
  if (prompt.identifier === "chatHistory") {
    const content = normalizeNames(preset.newChat);
    const metadata = tavernMetadata("new-chat");
    return [
      { template: { id: newChat, role: "system", content, keepApart: true, metadata }, isEnabled, place: listPlace },
      { template: { ...templateOf(prompt, ""), type: "chat_history" }, isEnabled, place: listPlace },
    ];
  }
  const template = templateOf(prompt, contentOf(prompt, scene));
  if (isTriggered(prompt, scene)) return [{ template, isEnabled, place }];
  // Switched off by the import and not by the author: the way back has to know.
  const metadata = tavernMetadata("prompt", {
    ...(template.metadata?.["sillytavern"] as JsonObject),
    enabled: isEnabled,
  });
  return [{ template: { ...template, metadata }, isEnabled: false, place }];
}

/** Whether it is sent for the kind of reply that is wanted. */
function isTriggered({ triggers, name }: TavernPrompt, { isContinued, report }: TavernScene): boolean {
  if (triggers.length === 0) return true;
  const isWanted = triggers.includes(isContinued ? "continue" : "normal");
  const now = isWanted ? "it is sent here always" : "it is switched off here";
  report.unsupported(`${name}: injection_trigger`, `The prompt is sent only for ${triggers.join(", ")}; ${now}.`);
  return isWanted;
}

function templateOf(prompt: TavernPrompt, content: string): MessageTemplate {
  const isAnchor = ["worldInfoBefore", "worldInfoAfter", "dialogueExamples"].includes(prompt.identifier);
  return {
    id: prompt.identifier,
    role: prompt.role,
    ...(content === "" ? {} : { content }),
    ...(isAnchor ? { type: "placeholder" } : {}),
    ...(prompt.name === "" || prompt.name === prompt.identifier ? {} : { name: prompt.name }),
    metadata: tavernMetadata("prompt", { prompt: prompt.source, ...madeFrom(prompt, content) }),
  };
}

/** Where the text is not the prompt's own, both are remembered, so that an export can tell an edit from the import's work. */
function madeFrom(prompt: TavernPrompt, content: string): JsonObject {
  const own = prompt.isMarker ? "" : normalizeNames(prompt.content);
  return own === content ? {} : { content: own, imported: content };
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
      return normalizeNames(card.description);
    case "charPersonality":
      return formatted(preset.personalityFormat, "personality", card.personality);
    case "scenario":
      return formatted(preset.scenarioFormat, "scenario", card.scenario);
    case "personaDescription":
      return persona && (persona.position === 0 || persona.position === 1) ? normalizeNames(persona.text.trim()) : "";
    default:
      return prompt.isMarker ? "" : normalizeNames(prompt.content);
  }
}

/** A card may replace a prompt, and quote what it replaces once. */
function overridden(prompt: TavernPrompt, own: string): string {
  const original = normalizeNames(prompt.content);
  if (own === "" || prompt.forbidsOverrides) return original;
  let isQuoted = false;
  return normalizeNames(own).replace(/\{\{\s*original\s*\}\}/gi, () => {
    const text = isQuoted ? "" : original;
    isQuoted = true;
    return text;
  });
}

function formatted(format: string, field: string, text: string): string {
  if (text === "" || format === "") return normalizeNames(text);
  return normalizeNames(format).replace(new RegExp(`\\{\\{\\s*${field}\\s*\\}\\}`, "gi"), () => normalizeNames(text));
}

function notePlace({ note = noNote, chat }: TavernScene, anchor: string): EntryContext["note"] {
  const place: PiecePlace =
    note.position === 1 ? depthPlace(note.depth, "note") : { kind: "anchor", target: anchor, side: "after" };
  return { place, role: note.role, isActive: isDue(note, chat) };
}

/** Every n-th message of the user. */
function isDue({ interval }: TavernNote, chat: TavernChat | undefined): boolean {
  if (interval === 1) return true;
  const count = chat?.lines.filter((line) => line.isUser).length ?? 0;
  return interval > 0 && count > 0 && count % interval === 0;
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
function injections(scene: TavernScene, context: EntryContext): Piece[] {
  const { entries, card, persona } = scene;
  const personaAt = (position: number, speaks: Speaking): Piece[] =>
    persona?.position === position ? textPieces("persona", persona.text, speaks, context) : [];
  const top = [...entryPieces(entries, 2, context), ...personaAt(2, context.note)];
  const bottom = [...personaAt(3, context.note), ...entryPieces(entries, 3, context)];
  const { text, depth, role } = card.depthPrompt;
  const examples = readExamples(card.examples, context.names);
  return [
    ...entryPieces(entries, 0, context),
    ...entryPieces(entries, 1, context),
    ...entryPieces(entries, 5, context),
    ...dialoguePieces("example", examples, "after", true, context),
    ...entryPieces(entries, 6, context),
    ...aroundNote(top, bottom, scene, context),
    ...textPieces("depth-prompt", text, { role, place: depthPlace(depth, "card"), isActive: true }, context, "card"),
    ...personaAt(4, {
      role: persona?.role ?? "system",
      place: depthPlace(persona?.depth ?? 0, "persona"),
      isActive: true,
    }),
    ...trimEnds(entryPieces(entries, 4, context)),
  ];
}

type Speaking = EntryContext["note"];

/** A text of its own, unless it is blank. */
function textPieces(
  wantedId: string,
  text: string,
  { role, place, isActive }: Speaking,
  { freeId }: EntryContext,
  from = wantedId,
): Piece[] {
  const content = normalizeNames(text.trim());
  if (content === "") return [];
  const template: MessageTemplate = { id: freeId(wantedId), role, content, metadata: tavernMetadata(from) };
  return [{ template, isEnabled: isActive, place }];
}

/** The note between the entries above and below it. An empty one leaves an empty line between them. */
function aroundNote(top: Piece[], bottom: Piece[], { note }: TavernScene, context: EntryContext): Piece[] {
  const own = textPieces("note", note?.text ?? "", context.note, context);
  const last = top.findLast((piece) => piece.isEnabled);
  if (last && own.length === 0 && bottom.some((piece) => piece.isEnabled))
    last.override = `${last.template.content ?? ""}\n`;
  return [...top, ...own, ...bottom];
}

function idGiver(given: readonly string[]): (wanted: string) => string {
  const taken = new Set(given);
  return (wanted) => {
    let id = wanted;
    for (let count = 2; taken.has(id); count += 1) id = `${wanted}#${count}`;
    taken.add(id);
    return id;
  };
}
