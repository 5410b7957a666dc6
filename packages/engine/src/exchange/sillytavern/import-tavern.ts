import {
  type InputCheck,
  explain,
  fieldsCheck,
  flagCheck,
  listCheck,
  numberCheck,
  oneOfCheck,
  textCheck,
} from "../../model/check-input.ts";
import { variableLookup } from "../../compose/macros/placeholders.ts";
import type { PostProcessing, Preset } from "../../compose/preset/preset.ts";
import { tavernMacros } from "../../compose/macros/tavern-macros.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { GalleyError } from "../../model/errors.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { normalizeNames } from "./example-dialogue.ts";
import { type ImportNote, type ImportReport, importReport, reportCheck } from "../files/import-report.ts";
import { type Activation, type PlacedEntry, activateEntries, fallingOrder } from "./place-entries.ts";
import { readCard } from "./read-card.ts";
import { readTavernPreset } from "./read-tavern-preset.ts";
import {
  type TavernBook,
  type TavernCard,
  type TavernChat,
  type TavernFile,
  type TavernLine,
  type TavernNote,
  type TavernPersona,
  type TavernPreset,
  tavernKinds,
} from "./tavern-files.ts";
import { reportEntries, reportFiles, reportMacros } from "./report-scene.ts";
import { type TavernScene, layOut } from "./tavern-layout.ts";
import { stepsOf } from "./tavern-pieces.ts";

export interface TavernImportOptions {
  /** The user's name; without it, the chat's or the persona's. */
  readonly user?: string;
  /** Which world info entries are on; `constant` unless said otherwise. */
  readonly activated?: Activation;
  /** Also uses the book inside the card, which SillyTavern does only after the user imports it. */
  readonly useEmbeddedBook?: boolean;
  /** The next message goes on with the last one, as SillyTavern's "continue" does. */
  readonly isContinued?: boolean;
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

const activatedCheck: InputCheck = (value, path) => {
  if (Array.isArray(value))
    listCheck(fieldsCheck({ world: textCheck, uid: numberCheck }, ["world", "uid"]))(value, path);
  else oneOfCheck(["all", "constant"])(value, path);
};
const optionsCheck = fieldsCheck({
  user: textCheck,
  activated: activatedCheck,
  useEmbeddedBook: flagCheck,
  isContinued: flagCheck,
  now: textCheck,
  report: reportCheck,
});

function put(files: readonly TavernFile[], options: TavernImportOptions): TavernImport {
  const report = options.report ?? importReport();
  const scene = sceneOf(files, options, report);
  reportFiles(scene);
  const { pieces, unused, hasHistory } = layOut(scene);
  const outlets = outletValues(scene.entries);
  const variables = { ...variablesOf(scene), ...outlets };
  const entries = chatSession(scene, variables, options.now);
  const nudge = options.isContinued ? expandNudge(scene, variables) : "";
  const postProcessing: PostProcessing = {
    mergeInjected: true,
    ...(hasHistory ? {} : { omitHistory: true }),
    ...(nudge === "" ? {} : { continueLast: nudge }),
    ...(scene.preset.isSquashed ? { squashSystem: true } : {}),
  };
  const name = scene.card.name || scene.preset.name;
  const preset: Preset = {
    version: 1,
    ...(name === "" ? {} : { name }),
    messageTemplates: [...pieces.map((piece) => piece.template), ...unused],
    contextRecipes: [{ id: "sillytavern", modelFilter: ["*"], steps: stepsOf(pieces) }],
    variables,
    macros: "sillytavern",
    postProcessing,
    metadata: {
      sillytavern: { preset: scene.preset.source, books: bookSources(scene), entries: unplaced(scene.entries) },
    },
  };
  reportMacros(pieces, variables, report);
  // Last, for there may be many.
  reportEntries(scene);
  return { preset, entries, notes: report.notes };
}

function sceneOf(files: readonly TavernFile[], options: TavernImportOptions, report: ImportReport): TavernScene {
  const chat = onlyOne<TavernChat>(files, "chat");
  const persona = onlyOne<TavernPersona>(files, "persona");
  const note = onlyOne<TavernNote>(files, "authors-note") ?? chat?.note;
  const given = onlyOne<TavernCard>(files, "card");
  const card = withOverrides(given ?? ownCard(chat, report), chat);
  const preset = onlyOne<TavernPreset>(files, "preset") ?? ownPreset(report);
  const books = files.filter((file): file is TavernBook => file.kind === "world-info");
  const embedded = card.book && !books.some((book) => book.name === card.book?.name) ? [card.book] : [];
  const user =
    options.user ??
    chat?.user ??
    (persona?.name || undefined) ??
    chat?.lines.find((line) => line.isUser)?.name ??
    "User";
  const all = activateEntries([...books, ...embedded], options.activated ?? "constant");
  const isLive = Array.isArray(options.activated) || options.useEmbeddedBook === true;
  const entries = all.map((one) => ({ ...one, isActive: one.isActive && (isLive || !embedded.includes(one.book)) }));
  const isContinued = options.isContinued === true;
  const scene = { card, preset, chat, persona, note, entries, user: user.trim() === "" ? "User" : user, report };
  return { ...scene, isContinued, idleBooks: isLive ? [] : embedded };
}

function withOverrides(card: TavernCard, chat: TavernChat | undefined): TavernCard {
  if (!chat) return card;
  const { scenario, examples, systemPrompt } = chat.overrides;
  return {
    ...card,
    scenario: scenario || card.scenario,
    examples: examples || card.examples,
    systemPrompt: systemPrompt || card.systemPrompt,
  };
}

function onlyOne<File extends TavernFile>(files: readonly TavernFile[], kind: File["kind"]): File | undefined {
  const found = files.filter((file): file is File => file.kind === kind);
  if (found.length > 1) {
    throw new GalleyError(
      "ImportFailed",
      `There are ${found.length} files of the kind ${kind}; one preset holds one.`,
      {
        hint: "Import them one after the other, or leave all but one out.",
      },
    );
  }
  return found[0];
}

/** Without a card, the chat says who speaks. */
function ownCard(chat: TavernChat | undefined, report: ImportReport): TavernCard {
  const users = new Set(chat?.lines.filter((line) => line.isUser).map((line) => line.name));
  const isCharacter = ({ name, isHidden, isNarrator }: TavernLine): boolean =>
    !isHidden && !isNarrator && !users.has(name);
  const speaker = chat?.lines.find(isCharacter)?.name;
  const name = chat?.character ?? (speaker || "Assistant");
  report.converted("card", `No card was given: {{char}} is ${name}, and nothing describes it.`);
  return readCard({ name }, importReport());
}

function ownPreset(report: ImportReport): TavernPreset {
  report.converted("preset", "No preset was given: the stock order is used, with Galley's own main prompt.");
  return readTavernPreset({}, "", importReport());
}

/** What `{{outlet::name}}` stands for: higher `order` first. */
function outletValues(entries: readonly PlacedEntry[]): Record<string, string> {
  const own = entries.filter(
    ({ entry, isActive }) => isActive && entry.position === 7 && entry.content !== "" && entry.outlet !== "",
  );
  const outlets = Map.groupBy(fallingOrder(own), ({ entry }) => `outlet::${entry.outlet}`);
  return Object.fromEntries(
    [...outlets].map(([key, list]) => [key, list.map(({ entry }) => normalizeNames(entry.content)).join("\n")]),
  );
}

function variablesOf({ card, preset, persona, user, note }: TavernScene): Record<string, string> {
  const values = {
    char: card.name,
    user,
    newexample: preset.newExample,
    description: card.description,
    personality: card.personality,
    scenario: card.scenario,
    persona: persona?.text ?? "",
    mesexamples: card.examples,
    charprompt: card.systemPrompt,
    charinstruction: card.postHistory,
    chardepthprompt: card.depthPrompt.text,
    authorsnote: note?.text ?? "",
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, normalizeNames(value)]));
}

function expandNudge({ preset, chat }: TavernScene, variables: Readonly<Record<string, string>>): string {
  const lines = (chat?.lines ?? []).filter((line) => !line.isHidden);
  const last = lines.at(-1)?.text ?? "";
  const lookup = variableLookup({ variables: [{ lastchatmessage: last }, variables] });
  return tavernMacros({ lookup, chat: lines })(normalizeNames(preset.continueNudge), () => {});
}

/** Books without their entries, by name, for the way back. */
function bookSources({ entries }: TavernScene): Record<string, TavernBook["source"]> {
  return Object.fromEntries(entries.map(({ book }) => [book.name, book.source]));
}

/** Entries that do not become messages: outlets, empty ones, and those without a position. They are kept as they were. */
function unplaced(
  entries: readonly PlacedEntry[],
): { book: string; uid: number; content: string; entry: TavernBook["source"] }[] {
  return entries
    .filter(
      ({ entry }) => entry.content === "" || entry.position === undefined || entry.position > 6 || entry.position < 0,
    )
    .map(({ book, entry }) => ({ book: book.name, uid: entry.uid, content: entry.content, entry: entry.source }));
}

/** The chat as a session; without one, the card's greeting. Macros are filled in, for what was said has been said. */
function chatSession(scene: TavernScene, variables: Readonly<Record<string, string>>, now?: string): SessionEntry[] {
  const { card, chat, report } = scene;
  const lines = chat?.lines ?? (card.greeting === "" ? [] : [greeting(card.name, card.greeting)]);
  const sent = lines.filter((line) => !line.isHidden);
  const lookup = variableLookup({ variables: [variables] });
  const expand = tavernMacros({ lookup, chat: sent, now });
  const swiped = lines.filter((line) => line.swipes.length > 0).length;
  if (swiped > 0)
    report.kept("chat", `Messages with other versions, which stay beside them in the session: ${swiped}.`);
  const hidden = lines.length - sent.length;
  if (hidden > 0) report.kept("chat", `Hidden messages, which stay in the session and are not sent: ${hidden}.`);
  return lines.flatMap((line, index): SessionEntry[] => {
    const text = expand(normalizeNames(spoken(line, scene)), () => {}).replaceAll("\r", "");
    const base = { id: `st-${index + 1}`, ts: line.ts };
    const more = { name: line.name, ...(line.swipes.length > 0 ? { swipes: line.swipes } : {}) };
    if (line.isHidden)
      return [{ ...base, type: "custom", sillytavern: { ...more, hidden: { role: line.role, text } } }];
    if (text.trim() === "") return [];
    const message = messageOf(line, text, scene);
    return [{ ...base, type: "message", message, ...(line.name === "" ? {} : { sillytavern: more }) }];
  });
}

/** The text with the speaker's name before it, where the preset wants that. */
function spoken(line: TavernLine, { preset, user }: TavernScene): string {
  const isOther = line.hasAvatar && line.name !== user && !line.isNarrator;
  const isNamed = preset.namesBehavior === 2 ? !line.isNarrator : preset.namesBehavior === 0 && isOther;
  const text = isNamed ? `${line.name}: ${line.text}` : line.text;
  return line.role === "user" && preset.isQuoted ? `"${text}"` : text;
}

function messageOf(line: TavernLine, content: string, { preset }: TavernScene): ModelMessage {
  const name = line.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  if (preset.namesBehavior !== 1 || name === "") return { role: line.role, content };
  return { role: line.role, content, providerOptions: { openai: { name } } };
}

function greeting(name: string, text: string): TavernLine {
  return {
    name,
    text,
    role: "assistant",
    isUser: false,
    isHidden: false,
    isNarrator: false,
    hasAvatar: false,
    ts: 0,
    swipes: [],
  };
}
