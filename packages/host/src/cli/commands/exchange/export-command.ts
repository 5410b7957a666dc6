import { basename } from "node:path";
import { GalleyError, parsePreset, parseSession, type Preset, type SessionEntry } from "@galley/engine";
import {
  cardPicture,
  cardVersions,
  exportTavern,
  type CardVersion,
  type ImportNote,
  type TavernExport,
} from "@galley/engine/sillytavern";
import { Option, type Command } from "commander";
import { leftBeside, readBytes, readText, type NewFile, writeFiles } from "../../input/files.ts";
import { dataOption, tokenOption, type FolderFlags } from "../../input/options.ts";
import { leftNotes, notesText } from "../../print/notes-text.ts";
import { reportWarnings, toJson } from "../../terminal/report.ts";
import { styleFor, type Terminal } from "../../terminal/terminal.ts";
import { openChat } from "../../../chat/open-chat.ts";
import { chatFolder, chatPaths } from "../../../chat/lines/chat-paths.ts";
import { textOf } from "../../../chat/lines/read-window.ts";
import type { ChatMessage } from "../../../chat/lines/chat-line.ts";
import { exists } from "../../../disk/data-files.ts";
import { readChatSettings } from "../../../galley/chat-settings.ts";
import { allEntries } from "../../input/read-conversation.ts";
import { withPresets } from "../../input/connect.ts";

interface ExportFlags extends FolderFlags {
  readonly out: string;
  readonly model?: string;
  readonly session?: string;
  readonly chat?: string;
  readonly card?: string;
  readonly picture?: string;
  readonly cardVersion?: CardVersion;
  readonly force?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ galley export mara.json --out tavern.json                                  preset, card and books
  $ galley export mara.json --out tavern.json --session mara.jsonl             and what was said, as a chat
  $ galley export --chat mara --out tavern.json                                a chat of the data folder with its preset
  $ galley export mara.json --out tavern.json --card mara.png --picture old.png`;

/** `galley export`: a preset, and what was said with it, become SillyTavern's files. */
export function defineExport(command: Command, terminal: Terminal): void {
  command
    .argument("[preset]", "preset (JSON); - reads standard input")
    .description(
      "Writes a chat-completion preset for SillyTavern, and beside it a world info file for each book, the card that was imported, " +
        "and what was said as a chat. What was not edited is written as it was imported. What these files cannot say is listed.",
    )
    .requiredOption(
      "-o, --out <file>",
      "the preset to write; the others go beside it, with their name before the ending",
    )
    .option("-s, --session <file>", "a session, to be written as a chat")
    .option("--chat <key>", "a chat of the data folder, with the preset that it uses")
    .addOption(dataOption("the data folder that --chat is in"))
    .addOption(tokenOption())
    .option(
      "--card <file>",
      "where the card goes: .png for a picture, .json for its text alone (default: beside the preset)",
    )
    .option("--picture <file>", "the PNG that the card is put into (default: a plain one)")
    .addOption(
      new Option("--card-version <version>", "the version of the card (default: the one it has)").choices(cardVersions),
    )
    .option("-m, --model <id>", "the model whose recipe is written")
    .option("--force", "replace files that already exist")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", examples)
    .action((file: string | undefined, flags: ExportFlags) => exportFiles(file, flags, terminal));
}

async function exportFiles(file: string | undefined, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { preset, entries, notes: more } = await readSource(file, flags, terminal);
  const exported = exportTavern(preset, {
    model: flags.model,
    ...(entries && { entries }),
    ...(flags.cardVersion && { cardVersion: flags.cardVersion }),
  });
  const base = flags.out.replace(/\.json$/i, "");
  const names = fileNames();
  const cards = await cardFiles(exported, flags, (name) => `${base}.${names(`${name}.card`)}.json`);
  const books = exported.books.map(({ name, book }) => ({ file: `${base}.${names(name)}.json`, text: toJson(book) }));
  const chats = exported.chat === undefined ? [] : [{ file: `${base}.chat.jsonl`, text: exported.chat }];
  const written = [{ file: flags.out, text: toJson(exported.preset) }, ...cards, ...books, ...chats];
  await writeFiles(written, { isForced: flags.force === true });
  const paths = written.map((one) => one.file);
  const notes = [...more, ...exported.notes, ...leftNotes(flags.force ? leftBeside(base, paths) : [])];
  const made = {
    preset: flags.out,
    books: books.map((book) => book.file),
    cards: cards.map((card) => card.file),
    chat: chats[0]?.file ?? null,
  };
  const style = styleFor(terminal);
  const wrote = paths.map((path) => `${style.green("wrote")}  ${path}\n`).join("");
  terminal.out(flags.json ? toJson({ ...made, notes }) : `${wrote}\n${notesText(notes, terminal)}`);
}

interface Source {
  readonly preset: Preset;
  readonly entries?: readonly SessionEntry[];
  readonly notes: TavernExport["notes"];
}

async function readSource(file: string | undefined, flags: ExportFlags, terminal: Terminal): Promise<Source> {
  const { chat, session } = flags;
  if (chat !== undefined && session !== undefined)
    throw new GalleyError("BadUsage", "--chat and --session both say what was said.", { hint: "Give one of them." });
  const own = file === undefined ? undefined : parsePreset(await readText(file, terminal)).preset;
  if (chat !== undefined) return readChatToExport(chat, flags, own);
  if (!own) {
    const hint = "Name a preset file, or --chat KEY for a chat of the data folder with the preset that it uses.";
    throw new GalleyError("BadUsage", "There is nothing to export.", { hint });
  }
  if (session === undefined) return { preset: own, notes: [] };
  const { entries, problems } = parseSession(await readText(session, terminal));
  if (!flags.json) reportWarnings(problems, terminal);
  return { preset: own, entries, notes: [] };
}

/** The cards; the first goes where it was asked for, as a picture where its name says so. */
async function cardFiles(
  { cards }: TavernExport,
  { card: wanted, picture }: ExportFlags,
  beside: (name: string) => string,
): Promise<NewFile[]> {
  if ((wanted !== undefined || picture !== undefined) && cards.length === 0) {
    throw new GalleyError("BadUsage", "The preset has no card: none was imported into it.", {
      hint: "Leave out --card and --picture.",
    });
  }
  const bytes = picture === undefined ? undefined : await readBytes(picture);
  return cards.map(({ name, card }, index) => {
    const own = index === 0 ? wanted : undefined;
    const isPicture = own === undefined ? index === 0 && bytes !== undefined : /\.png$/i.test(own);
    const file = own ?? (isPicture ? beside(name).replace(/json$/, "png") : beside(name));
    return { file, text: isPicture ? cardPicture(card, bytes) : toJson(card) };
  });
}

/** A name comes from outside: nothing of it may lead to another folder, and no two share a file. */
function fileNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const safe =
      basename(name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_"))
        .replace(/^\.+/, "_")
        .slice(0, 80) || "book";
    let own = safe;
    for (let count = 2; taken.has(own.toLowerCase()); count += 1) own = `${safe}-${count}`;
    taken.add(own.toLowerCase());
    return own;
  };
}

/** The active context of a chat with its other answers, and the preset that the chat uses unless another one is given. */
async function readChatToExport(key: string, folder: FolderFlags, own: Preset | undefined): Promise<Source> {
  const chat = await openChat(folder.data, key);
  try {
    if (!exists(chat.folder))
      throw new GalleyError("NotFound", `There is no chat ${key}.`, {
        hint: "galley chat list --all names the chats.",
      });
    const preset = own ?? (await presetOf(key, folder));
    const { total } = await chat.listContexts(1);
    const message = `Contexts that were put away are not written: ${total}.`;
    const left: ImportNote = { fate: "unsupported", path: `chat ${key}`, message };
    const others = Map.groupBy(chat.alternates(), ({ of }) => of);
    return { preset, entries: withAlternates(allEntries(chat), others), notes: total === 0 ? [] : [left] };
  } finally {
    await chat.close();
  }
}

async function presetOf(key: string, folder: FolderFlags): Promise<Preset> {
  const { preset } = readChatSettings(chatPaths(chatFolder(folder.data, key)).settings);
  if (preset !== undefined) return withPresets(folder, async (library) => (await library.get(preset)).preset);
  throw new GalleyError("BadUsage", `The chat ${key} has no preset of its own.`, {
    hint: `Name the preset file, or choose one: galley chat set --chat ${key} preset=NAME.`,
  });
}

type Alternates = ReadonlyMap<string, readonly { readonly message: ChatMessage }[]>;

/** Gives each answer the others of its question; one that was imported has them in its line. */
function withAlternates(entries: readonly SessionEntry[], others: Alternates): readonly SessionEntry[] {
  let question: string | undefined;
  return entries.map((entry) => {
    if (entry.type !== "message") return entry;
    if (entry.message.role === "user") question = entry.id;
    const found = entry.message.role === "assistant" ? others.get(question ?? "") : undefined;
    if (!found || "sillytavern" in entry) return entry;
    const memory = { sillytavern: { swipes: found.map(({ message }) => textOf(message)) } };
    return { ...entry, ...memory };
  });
}
