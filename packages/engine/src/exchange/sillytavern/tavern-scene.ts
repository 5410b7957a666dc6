import type { BookOwner } from "../../compose/activation/activation.ts";
import { type ImportReport, importFailed } from "../files/import-report.ts";
import { readCard } from "./read/read-card.ts";
import { readTavernPreset } from "./read/read-tavern-preset.ts";
import type {
  TavernBook,
  TavernCard,
  TavernChat,
  TavernFile,
  TavernKind,
  TavernLine,
  TavernPersona,
  TavernPreset,
  OwnedBook,
  TavernScene,
  PlacedEntry,
} from "./tavern-files.ts";

/** What the files leave open. */
interface SceneOptions {
  readonly user?: string;
  readonly useEmbeddedBook?: boolean;
  readonly persona?: string;
  readonly owners?: Readonly<Record<string, BookOwner>>;
}

/** Puts files together as SillyTavern would have them loaded. */
export function sceneOf(files: readonly TavernFile[], options: SceneOptions, report: ImportReport): TavernScene {
  const chat = onlyOne(files, "chat");
  const persona = choosePersona(onlyOne(files, "persona"), options.persona, report);
  const note = onlyOne(files, "authors-note") ?? chat?.note;
  const settings = onlyOne(files, "settings");
  const cards = files.filter((file) => file.kind === "card");
  const card = withOverrides(cards[0] ?? ownCard(chat, report), chat);
  const preset = onlyOne(files, "preset") ?? ownPreset(report);
  const user =
    options.user ??
    chat?.user ??
    (persona?.name || undefined) ??
    chat?.lines.find((line) => line.isUser)?.name ??
    "User";
  const given = files.filter((file) => file.kind === "world-info");
  const embedded = card.book && !given.some((book) => book.name === card.book?.name) ? [card.book] : [];
  const isUsed = options.useEmbeddedBook !== false;
  const ownerOf = (book: TavernBook): BookOwner =>
    options.owners?.[book.name] ?? (embedded.includes(book) ? "character" : linkedTo(book.name, card, chat, persona));
  const books = [...given, ...embedded].map((book): OwnedBook => ({ book, owner: ownerOf(book) }));
  const entries = books.flatMap(({ book }) =>
    book.entries.map((entry): PlacedEntry => {
      return { book, entry, isEnabled: !entry.isDisabled && (isUsed || !embedded.includes(book)) };
    }),
  );
  return {
    card,
    cards,
    group: cards.length > 1 ? [card, ...cards.slice(1)] : [],
    preset,
    chat,
    persona,
    note,
    settings,
    books,
    entries,
    user: user.trim() === "" ? "User" : user,
    report,
    idleBooks: isUsed ? [] : embedded,
  };
}

/** One of the personas of a file, by its name; unless said otherwise the one that the file prefers. */
function choosePersona(
  persona: TavernPersona | undefined,
  name: string | undefined,
  report: ImportReport,
): TavernPersona | undefined {
  const { others = persona ? [persona] : [] } = persona ?? {};
  const names = others.map((one) => one.name).filter((one) => one !== "");
  if (name !== undefined) {
    const found = others.find((one) => one.name === name);
    if (found) return found;
    throw importFailed(
      `There is no persona ${JSON.stringify(name)} among the files.`,
      names.length > 0 ? `There are: ${names.join(", ")}.` : "Give the file that holds the personas as well.",
    );
  }
  if (persona && others.length > 1) {
    const rest = names.filter((one) => one !== persona.name).join(", ");
    report.converted(
      "persona",
      `Of ${others.length} personas, ${persona.name} speaks; it can be another one: ${rest}.`,
    );
  }
  return persona;
}

/** Whose book it is: one that several are linked to is looked at once, with the first of them. */
function linkedTo(
  name: string,
  card: TavernCard,
  chat: TavernChat | undefined,
  persona: TavernPersona | undefined,
): BookOwner {
  if (chat?.world === name) return "chat";
  if (persona?.world === name) return "persona";
  return card.world === name ? "character" : "global";
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

function onlyOne<Kind extends TavernKind>(
  files: readonly TavernFile[],
  kind: Kind,
): Extract<TavernFile, { kind: Kind }> | undefined {
  const isOne = (file: TavernFile): file is Extract<TavernFile, { kind: Kind }> => file.kind === kind;
  const found = files.filter(isOne);
  if (found.length > 1) {
    const message = `There are ${found.length} files of the kind ${kind}; one preset holds one.`;
    throw importFailed(message, "Import them one after the other, or leave all but one out.");
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
  return readCard({ name });
}

function ownPreset(report: ImportReport): TavernPreset {
  report.converted("preset", "No preset was given: the stock order is used, with Galley's own main prompt.");
  return { ...readTavernPreset({}, ""), document: undefined };
}
