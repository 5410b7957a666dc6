import { variableLookup } from "../compose/placeholders.ts";
import type { MessageTemplate, PostProcessing, Preset } from "../compose/preset.ts";
import { tavernMacros } from "../compose/tavern-macros.ts";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/errors.ts";
import { chatSession } from "./chat-session.ts";
import { normalizeNames } from "./example-dialogue.ts";
import { type ImportNote, type ImportReport, importReport } from "./import-report.ts";
import { type Activation, type PlacedEntry, activateEntries, fallingOrder } from "./place-entries.ts";
import { readCard } from "./read-card.ts";
import { readTavernPreset } from "./read-tavern-preset.ts";
import type {
  TavernBook,
  TavernCard,
  TavernChat,
  TavernFile,
  TavernNote,
  TavernPersona,
  TavernPreset,
} from "./tavern-files.ts";
import { type TavernScene, layOut } from "./tavern-layout.ts";
import { type Piece, stepsOf } from "./tavern-pieces.ts";

export interface TavernImportOptions {
  /** The user's name; without it, the chat's or the persona's. */
  readonly user?: string;
  /** Which world info entries are on; `constant` unless said otherwise. */
  readonly activated?: Activation;
  /** Also uses the book inside the card, which SillyTavern does not do before somebody imports it. */
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

/** Puts SillyTavern's files together: at most one card, preset, chat, persona and note, and any number of books. */
export function importTavern(files: readonly TavernFile[], options: TavernImportOptions = {}): TavernImport {
  const report = options.report ?? importReport();
  const scene = sceneOf(files, options, report);
  reportFiles(scene, report);
  const { pieces, unused, hasHistory } = layOut(scene);
  const outlets = outletValues(scene.entries);
  const variables = { ...variablesOf(scene), ...outlets };
  const entries = chatSession(scene, variables, options, report);
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
  return { preset, entries, notes: report.notes };
}

function sceneOf(files: readonly TavernFile[], options: TavernImportOptions, report: ImportReport): TavernScene {
  const chat = onlyOne<TavernChat>(files, "chat");
  const persona = onlyOne<TavernPersona>(files, "persona");
  const note = onlyOne<TavernNote>(files, "authors-note") ?? chat?.note;
  const given = onlyOne<TavernCard>(files, "card");
  const card = withOverrides(given ?? readCard({ name: chat?.character ?? "Assistant" }, importReport()), chat);
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
  const isLive = ({ book }: PlacedEntry): boolean =>
    Array.isArray(options.activated) || options.useEmbeddedBook === true || !embedded.includes(book);
  const entries = all.map((one) => ({ ...one, isActive: one.isActive && isLive(one) }));
  reportEntries(entries, isLive, report);
  return { card, preset, chat, persona, note, entries, user: user.trim() === "" ? "User" : user, report };
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

function ownPreset(report: ImportReport): TavernPreset {
  report.converted("preset", "No preset was given: the stock order is used, with Galley's own main prompt.");
  return readTavernPreset({}, "", importReport());
}

/** What was found, one note for each kind of thing. */
function reportFiles({ card, preset, chat, persona, note, entries }: TavernScene, report: ImportReport): void {
  const { description, personality, scenario, greeting, examples, systemPrompt, postHistory, depthPrompt } = card;
  const texts = {
    description,
    personality,
    scenario,
    greeting,
    examples,
    systemPrompt,
    postHistory,
    depthPrompt: depthPrompt.text,
  };
  const said = Object.entries(texts).filter(([, text]) => text !== "");
  if (said.length > 0) report.kept(`card ${card.name}`, said.map(([name]) => name).join(", "));
  report.kept(`preset ${preset.name}`.trim(), `${preset.prompts.length} prompts, ${preset.order.length} in the order.`);
  const settings = Object.keys(preset.source).filter((key) => !builtFrom.has(key));
  if (settings.length > 0) {
    report.unsupported(
      `preset ${preset.name}`.trim(),
      `Settings of the model call and of the program are kept for an export and have no effect: ${settings.join(", ")}.`,
    );
  }
  if (chat) report.converted("chat", `${chat.lines.length} messages become a session; macros in them are filled in.`);
  if (persona && persona.text !== "") report.kept("persona", persona.text.slice(0, 60));
  if (note && note.text !== "") {
    if (note.interval === 1) report.kept("authors-note", note.text.slice(0, 60));
    else
      report.unsupported(
        "authors-note",
        `It speaks every ${note.interval} messages of the user; whether it is on was decided for this chat, once.`,
      );
  }
  for (const [name, own] of Map.groupBy(entries, ({ book }) => book.name)) {
    report.kept(`book ${name}`, `${own.length} entries, ${own.filter((one) => one.isActive).length} of them on.`);
  }
}

/** Fields of a preset that say what is sent. */
const builtFrom = new Set([
  "new_chat_prompt",
  "new_example_chat_prompt",
  "wi_format",
  "scenario_format",
  "personality_format",
  "continue_nudge_prompt",
  "names_behavior",
  "squash_system_messages",
  "wrap_in_quotes",
  "main_prompt",
  "nsfw_prompt",
  "jailbreak_prompt",
  "nsfw_toggle",
  "jailbreak_system",
]);

function reportEntries(
  entries: readonly PlacedEntry[],
  isLive: (one: PlacedEntry) => boolean,
  report: ImportReport,
): void {
  for (const one of entries) {
    const { book, entry, isActive } = one;
    const path = `${book.name}/${entry.uid}`;
    if (isActive && entry.position === undefined) {
      report.unsupported(path, "It has no position; SillyTavern does not send it either before it is saved again.");
    } else if (isActive) continue;
    else if (!isLive(one)) report.converted(path, "The book inside the card is switched off until somebody uses it.");
    else if (entry.isDisabled) report.kept(path, "The entry is switched off, as it was.");
    else
      report.unsupported(
        path,
        `It waits for its keywords (${entry.keys.slice(0, 5).join(", ")}), which are kept; it is switched off.`,
      );
  }
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

/** Entries that are no messages: outlets, empty ones, and those without a position. They are kept as they were. */
function unplaced(
  entries: readonly PlacedEntry[],
): { book: string; uid: number; content: string; entry: TavernBook["source"] }[] {
  return entries
    .filter(
      ({ entry }) => entry.content === "" || entry.position === undefined || entry.position > 6 || entry.position < 0,
    )
    .map(({ book, entry }) => ({ book: book.name, uid: entry.uid, content: entry.content, entry: entry.source }));
}

/** What these stand for is a matter of the moment and of the program's window. */
const liveMacros = new Set(["idle_duration", "input", "maxprompt"]);

/** Tells which macros will stay as they are when the preset is built. */
function reportMacros(
  pieces: readonly Piece[],
  variables: Readonly<Record<string, string>>,
  report: ImportReport,
): void {
  const lookup = variableLookup({ variables: [variables] });
  const known = new Set(["model", "injected"]);
  const where = new Map<string, MessageTemplate[]>();
  const expand = tavernMacros({ lookup, now: "2000-01-01T00:00:00Z", chat: [] });
  for (const { template, isEnabled, override } of pieces) {
    if (!isEnabled) continue;
    expand(override ?? template.content ?? "", (name) => {
      if (known.has(name.toLowerCase())) return;
      const templates = where.get(name) ?? [];
      templates.push(template);
      where.set(name, templates);
    });
  }
  for (const [name, templates] of where) {
    const names = [...new Set(templates.map((template) => template.name ?? template.id))].slice(0, 3).join(", ");
    const why = liveMacros.has(name.toLowerCase()) ? "is known only to a running SillyTavern" : "has no value here";
    report.unsupported(names, `{{${name.slice(0, 80)}}} ${why} and is sent as it is; a build can be given a value.`);
  }
}
