import {
  type InputCheck,
  explain,
  fieldsCheck,
  flagCheck,
  listCheck,
  numberCheck,
  objectCheck,
  oneOfCheck,
  textCheck,
} from "../../model/check/input.ts";
import { type BookOwner, bookOwners } from "../../compose/activation/activation.ts";
import type { PostProcessing, Preset } from "../../compose/preset/preset.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { GalleyError } from "../../model/check/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { chatSession } from "./chat-session.ts";
import { normalizeNames } from "./example-dialogue.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type ImportNote, type ImportReport, importReport, reportCheck } from "../files/import-report.ts";
import type { Activated } from "./place-entries.ts";
import { sceneOf } from "./tavern-scene.ts";
import { type TavernScene, type TavernBook, type TavernCard, type TavernFile, tavernKinds } from "./tavern-files.ts";
import { reportEntries, reportFiles, reportMacros } from "./report-scene.ts";
import { layOut } from "./tavern-layout.ts";
import { stepsOf, wholeForm } from "./tavern-pieces.ts";
import { tavernVariables } from "./tavern-variables.ts";
import { worldSettings } from "./world-settings.ts";

export interface TavernImportOptions {
  /** The user's name; without it, the chat's or the persona's. */
  readonly user?: string;
  /** Which persona speaks, where a file holds several: its name. */
  readonly persona?: string;
  /** Only these world info entries come, in this order; without it, the chat decides. */
  readonly activated?: Activated;
  /** Uses the book inside the card as well, as SillyTavern does once the user has imported it; true unless said otherwise. */
  readonly useEmbeddedBook?: boolean;
  /** Who the books belong to, by name; without it, card, chat and persona say which are theirs, and all others are for all. */
  readonly owners?: Readonly<Record<string, BookOwner>>;
  /** The settings of world info, with SillyTavern's names; without them, those of a fresh installation. */
  readonly worldInfo?: JsonObject;
  /** The file name of the character without its ending, which entries for some characters name; its name unless given. */
  readonly avatar?: string;
  /** The ids of the character's tags. */
  readonly tags?: readonly string[];
  /** Whether the note and the card's own note are read for keys; SillyTavern does so only if asked. */
  readonly readsNote?: boolean;
  /** Whether a persona that stands in the chat is read for keys: true unless said otherwise. */
  readonly readsPersona?: boolean;
  /** Which of the card's greetings begins the chat, 0 for the first. */
  readonly greeting?: number;
  /** For macros in the chat that tell the time. */
  readonly now?: string;
  /** Takes the notes of the readers along. */
  readonly report?: ImportReport;
}

export interface TavernImport {
  /** Builds what SillyTavern sends [X1]. */
  readonly preset: Preset;
  /** The chat, or the card's greeting. */
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
}

/**
 * Puts SillyTavern's files together: at most one card, preset, chat, persona and note, and any number of books.
 *
 * @example
 * const bytes = new TextEncoder().encode('{"name": "Mara", "first_mes": "Hello!"}');
 * const card = readTavernFile(bytes, { name: "mara" }, importReport());
 * const { preset, entries } = importTavern([card], { user: "Tom" });
 * preset.name; // → "Mara"
 * entries[0].message; // → { role: "assistant", content: "Hello!" }
 */
export function importTavern(files: readonly TavernFile[], options: TavernImportOptions = {}): TavernImport {
  listCheck(fieldsCheck({ kind: oneOfCheck(tavernKinds) }, ["kind"]))(files, "files");
  optionsCheck(options, "options");
  try {
    return put(files, options);
  } catch (error) {
    throw explain(error, () => {
      const hint = "readTavernFile reads them from bytes.";
      const message = "The files are not as readTavernFile gives them.";
      throw new GalleyError("ImportFailed", message, { path: "files", hint, cause: error });
    });
  }
}

const activatedCheck: InputCheck = listCheck(fieldsCheck({ world: textCheck, uid: numberCheck }, ["world", "uid"]));
const ownersCheck: InputCheck = (value, path) => {
  objectCheck(value, path);
  for (const [name, owner] of Object.entries(value as object)) oneOfCheck(bookOwners)(owner, `${path}.${name}`);
};
const optionsCheck = fieldsCheck({
  user: textCheck,
  persona: textCheck,
  activated: activatedCheck,
  useEmbeddedBook: flagCheck,
  owners: ownersCheck,
  worldInfo: objectCheck,
  avatar: textCheck,
  tags: listCheck(textCheck),
  readsNote: flagCheck,
  readsPersona: flagCheck,
  greeting: numberCheck,
  now: textCheck,
  report: reportCheck,
});

function put(files: readonly TavernFile[], options: TavernImportOptions): TavernImport {
  const report = options.report ?? importReport();
  const scene = sceneOf(files, options, report);
  reportFiles(scene);
  const { pieces, unused, hasHistory } = layOut(scene);
  const variables = tavernVariables(scene);
  const entries = chatSession(scene, variables, options);
  const { card, preset: own, books } = scene;
  const postProcessing: PostProcessing = {
    mergeInjected: true,
    keepBlank: true,
    ...(hasHistory ? {} : { omitHistory: true }),
    ...(own.isSquashed ? { squashSystem: true } : {}),
  };
  const name = scene.cards[0]?.name || own.name || scene.chat?.character || books[0]?.book.name || "";
  const given = options.activated?.map(({ world, uid }) => ({ book: world, uid }));
  const preset: Preset = {
    version: 1,
    ...(name === "" ? {} : { name }),
    messageTemplates: [...pieces.map((piece) => piece.template), ...unused],
    contextRecipes: [{ id: "sillytavern", modelFilter: ["*"], steps: stepsOf(pieces) }],
    variables,
    activation: worldSettings({
      worldInfo: options.worldInfo ?? scene.settings?.worldInfo,
      books: books.map(({ book, owner }) => ({ name: book.name, owner })),
      avatar: options.avatar ?? card.name,
      tags: options.tags ?? [],
      reads: readTexts(scene, options),
      given,
    }),
    macros: "sillytavern-1.19",
    postProcessing,
    onContinue: own.isContinuePrefilled ? { prefill: true } : { nudge: normalizeNames(own.continueNudge) },
    metadata: { sillytavern: keptDocuments(scene) },
  };
  reportMacros(pieces, variables, report);
  // Last, for there may be many.
  reportEntries(scene);
  return { preset, entries, notes: report.notes };
}

/** Texts in the chat that are read for keys as well. */
function readTexts({ note, card, persona }: TavernScene, { readsNote, readsPersona }: TavernImportOptions): string[] {
  return [
    ...(readsNote && note ? [normalizeNames(note.text)] : []),
    ...(readsNote ? [normalizeNames(card.depthPrompt.text)] : []),
    ...(persona?.position === 4 && readsPersona !== false ? [normalizeNames(persona.text)] : []),
  ].filter((text) => text !== "");
}

/** The files without what the templates hold, for the way back. */
function keptDocuments({ books, preset, cards, chat }: TavernScene): JsonObject {
  const placed = new Set(books.map(({ book }) => book));
  return {
    form: wholeForm,
    ...(preset.document === undefined ? {} : { preset: preset.document }),
    books: Object.fromEntries(
      books.filter(({ book }) => !cards.some((card) => card.book === book)).map(({ book }) => [book.name, book.source]),
    ),
    ...(cards.length === 0 ? {} : { cards: cards.map((card) => cardDocument(card, placed)) }),
    ...(chat ? { chat: chat.header ?? false } : {}),
  };
}

/** A card, with the book inside it without its entries where these became templates. */
function cardDocument({ book, source }: TavernCard, placed: ReadonlySet<TavernBook>): JsonObject {
  if (!book || !placed.has(book)) return source;
  const { data } = source;
  if (isJsonObject(data)) return { ...source, data: { ...data, character_book: book.source } };
  return { ...source, character_book: book.source };
}
