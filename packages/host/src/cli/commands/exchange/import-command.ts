import { basename, extname } from "node:path";
import { GalleyError, formatSession, parseJson } from "@galley/engine";
import {
  type EntryName,
  type ImportNote,
  type ImportReport,
  type TavernFile,
  type TavernKind,
  tavernKinds,
  importReport,
  importTavern,
  readTavernFile,
} from "@galley/engine/sillytavern";
import { type LogFormat, counted, logDetector, logFormats } from "@galley/engine/logs";
import { type Command, Option } from "commander";
import { type NamedFile, expandPaths, readNamedText } from "../../../disk/named-files.ts";
import { fileError, leftBeside, readBytes, readText, writeFiles } from "../../input/files.ts";
import { type FolderFlags, dataOption, tokenOption, wholeNumberFrom } from "../../input/options.ts";
import { localTime } from "../../../turn/services/local-time.ts";
import { leftNotes, notesText } from "../../print/notes-text.ts";
import { keepAsChat } from "./import-chat.ts";
import { type LogFile, importLogs } from "./import-logs.ts";
import { printResult, toJson } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface ImportFlags extends FolderFlags {
  readonly out?: string;
  readonly as?: TavernKind | LogFormat;
  readonly user?: string;
  readonly persona?: string;
  readonly activated?: string;
  readonly embeddedBook: boolean;
  readonly greeting?: number;
  readonly chat?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ galley import examples/sillytavern-card.json --out mara.json
  $ galley import card.png --chat mara                                      talk with it: galley run "Hello" --chat mara
  $ galley import card.png book.json preset.json chat.jsonl --out mara.json
  $ galley import card.png settings.json --out mara.json --greeting 1       world info as it is set there, the first of the other greetings
  $ galley explain --preset mara.json --session mara.jsonl                  what a model would read
  $ galley preset save mara mara.json                                       keep it where Studio finds it
  $ galley import ~/.claude/projects                                        every session of Claude Code, as sessions here
  $ galley import rollout.jsonl                                             a log of Codex; again later: what is new`;

/** `galley import`: SillyTavern's files become one preset and one session; logs of agents become sessions. */
export function defineImport(command: Command, terminal: Terminal, fail: (code?: number) => void): void {
  command
    .argument(
      "<files...>",
      "logs of agents, their folders, or - for standard input; or SillyTavern's: a card (PNG, CharX, JSON), world info, a preset, a chat, a persona, an author's note, settings.json",
    )
    .description(
      `Reads the logs of agents (${logFormats.join(", ")}) into sessions of the data folder, one for each conversation. ` +
        "Reads SillyTavern's files and writes one preset, and a session beside it, that build what SillyTavern sends. " +
        "The kind of a file is detected from its content. The report says what was kept, converted, repaired and not supported.",
    )
    .option("-o, --out <file>", "SillyTavern: the preset to write; the session goes beside it, with the ending .jsonl")
    .addOption(
      new Option("--as <kind>", "the kind of a file whose content does not say").choices([
        ...logFormats,
        ...tavernKinds,
      ]),
    )
    .addOption(dataOption("the data folder that logs are read into, and that --chat is in"))
    .addOption(tokenOption())
    .option("--user <name>", "the user's name (default: the chat's, the persona's, or User)")
    .option(
      "--persona <text>",
      "what the user is like, instead of a persona file; where a file holds several personas, the name of one",
    )
    .option(
      "--chat <key>",
      "SillyTavern: keep the preset in the library and what was said as this chat, ready to talk to",
    )
    .option(
      "--greeting <number>",
      "which of the card's greetings begins the chat: 0 is its own (first_mes), 1 the first of the others (default: 0)",
      wholeNumberFrom(0),
    )
    .option("--no-embedded-book", "leave the book inside the card switched off")
    .option("--activated <file>", "only these world info entries come: a JSON list of {world, uid}, in their order")
    .option("--force", "replace files that already exist")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", examples)
    .action(async (paths: readonly string[], flags: ImportFlags) => {
      const { logs, others } = await sortFiles(await expandPaths(paths), flags.as);
      if (logs.length > 0 && others.length > 0) throw mixedFiles(logs[0]?.path ?? "", others[0] ?? "");
      if (logs.length > 0) await importLogs(logs, flags, terminal, fail);
      else await importTavernFiles(others, flags, terminal);
    });
}

/** Logs, and files of SillyTavern. What was found in a folder and is neither is passed over. */
async function sortFiles(
  files: readonly NamedFile[],
  as: ImportFlags["as"],
): Promise<{ readonly logs: readonly LogFile[]; readonly others: readonly string[] }> {
  const logs: LogFile[] = [];
  const others: string[] = [];
  for (const file of files) {
    const isNamed = as !== undefined && isLogFormat(as);
    const isInput = file.path === "-";
    const format = isNamed ? as : isInput ? undefined : await formatOf(file.path);
    if (format !== undefined || isInput) logs.push({ ...file, format });
    else if (!file.isFound) others.push(file.path);
  }
  if (logs.length > 0 || others.length > 0) return { logs, others };
  const hint = "Name the folder in which the agent keeps its sessions, or the files.";
  throw new GalleyError("ImportFailed", "None of these files is a log that can be read.", { hint });
}

/** Whose log a file is, by as much of it as that takes. */
async function formatOf(path: string): Promise<LogFormat | undefined> {
  const detector = logDetector();
  try {
    for await (const piece of readNamedText(path)) {
      const format = detector.push(piece);
      if (format !== undefined) return format ?? undefined;
    }
    return detector.end();
  } catch (error) {
    if (error instanceof GalleyError) throw error;
    throw fileError(path, "read", error);
  }
}

function isLogFormat(kind: TavernKind | LogFormat): kind is LogFormat {
  return (logFormats as readonly string[]).includes(kind);
}

function mixedFiles(log: string, other: string): GalleyError {
  return new GalleyError("BadUsage", `${log} is a log of an agent, and ${other} is not.`, {
    hint: "Import logs in one call and SillyTavern's files in another.",
  });
}

async function importTavernFiles(paths: readonly string[], given: ImportFlags, terminal: Terminal): Promise<void> {
  const { out, as, ...rest } = given;
  const flags = { ...rest, as: as !== undefined && isLogFormat(as) ? undefined : as };
  const report = importReport();
  const read: { readonly path: string; readonly file: TavernFile }[] = [];
  for (const path of paths) read.push({ path, file: await readOne(path, paths.length === 1, flags.as, report) });
  if (out === undefined && flags.chat === undefined) {
    throw new GalleyError("BadUsage", "SillyTavern's files become a preset, and --out says where it is written.", {
      hint: "Add --out FILE, or --chat KEY to talk with it.",
    });
  }
  const hasPersonas = read.some(({ file }) => file.kind === "persona");
  const persona = flags.persona === undefined || hasPersonas ? [] : [personaOf(flags.persona)];
  const {
    preset,
    entries,
    notes: own,
  } = importTavern([...read.map(({ file }) => file), ...persona], {
    report,
    now: localTime(),
    user: flags.user,
    ...(flags.persona === undefined || !hasPersonas ? {} : { persona: flags.persona }),
    ...(flags.activated === undefined ? {} : { activated: readActivated(await readText(flags.activated, terminal)) }),
    ...(flags.greeting === undefined ? {} : { greeting: greetingIn(read, flags.greeting) }),
    useEmbeddedBook: flags.embeddedBook,
  });
  const base = out?.replace(/\.json$/i, "") ?? "";
  const session = entries.length > 0 ? `${base}.jsonl` : undefined;
  const notes = [...own];
  if (out !== undefined) {
    const written = [
      { file: out, text: toJson(preset) },
      ...(session === undefined ? [] : [{ file: session, text: formatSession(entries) }]),
    ];
    await writeFiles(written, { isForced: flags.force === true });
    if (flags.force && session === undefined) {
      const left = leftBeside(base, [out]).filter((file) => file === `${base}.jsonl`);
      notes.push(...leftNotes(left));
    }
  }
  const kept = flags.chat === undefined ? undefined : await keepAsChat(flags.chat, preset, entries, flags);
  const kinds = read.map(({ path, file }) => ({ file: path, kind: file.kind }));
  const made: Made = {
    preset: out ?? kept?.preset ?? "",
    session: out === undefined ? undefined : session,
    ...(kept && { chat: kept.chat }),
  };
  printResult(terminal, flags, { ...made, session: made.session ?? null, files: kinds, notes }, () =>
    reportText(kinds, notes, made, terminal),
  );
}

interface Made {
  /** The file, or the name in the library. */
  readonly preset: string;
  readonly session: string | undefined;
  readonly chat?: string;
}

/** Entries as SillyTavern's own lists have them; a file that holds such a list beside other things will do. */
function readActivated(text: string): EntryName[] {
  const value = parseJson(text, { what: "list of entries" });
  const list = isObject(value) && !Array.isArray(value) ? value["activated"] : value;
  const isEntry = (item: unknown): item is EntryName =>
    isObject(item) && typeof item["world"] === "string" && typeof item["uid"] === "number";
  if (Array.isArray(list) && list.every(isEntry)) return list.map(({ world, uid }) => ({ world, uid }));
  throw new GalleyError("BadUsage", "--activated needs a list of {world, uid}.", {
    hint: 'Write it like [{"world": "Eldoria", "uid": 3}]; the world is the name of the book\'s file.',
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function greetingIn(read: readonly { readonly file: TavernFile }[], number: number): number {
  const card = read.map(({ file }) => file).find((file) => file.kind === "card");
  if (card?.kind === "card" && number <= card.otherGreetings.length) return number;
  const message =
    card?.kind === "card"
      ? `--greeting is ${number}, and the card has ${counted(card.otherGreetings.length, "greetings")} beside its own.`
      : "--greeting chooses among the greetings of a card, and no card was given.";
  throw new GalleyError("BadUsage", message, { hint: "0 is first_mes, 1 the first of alternate_greetings." });
}

async function readOne(
  path: string,
  isAlone: boolean,
  as: TavernKind | undefined,
  report: ImportReport,
): Promise<TavernFile> {
  const bytes = await readBytes(path);
  const name = basename(path, extname(path));
  const own = report.at(`${basename(path)}: `);
  const read = (kind?: TavernKind): TavernFile => readTavernFile(bytes, { name, ...(kind ? { as: kind } : {}) }, own);
  try {
    if (isAlone || as === undefined) return read(as);
    try {
      return read();
    } catch {
      return read(as);
    }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    const { code, message, hint, problems, cause } = error;
    throw new GalleyError(code, `${path}: ${message}`, { path, hint, problems, cause });
  }
}

function personaOf(text: string): TavernFile {
  const bytes = new TextEncoder().encode(JSON.stringify({ persona_description: text }));
  return readTavernFile(bytes, { name: "persona", as: "persona" }, importReport());
}

function reportText(
  kinds: readonly { readonly file: string; readonly kind: TavernKind }[],
  notes: readonly ImportNote[],
  { preset, session, chat }: Made,
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const read = kinds.map(({ file, kind }) => `${style.dim("read")}   ${file} ${style.dim(`(${kind})`)}\n`).join("");
  const wrote = [preset, ...(session === undefined ? [] : [session])].map(
    (file) => `${style.green("wrote")}  ${file}\n`,
  );
  const file = `galley explain --preset ${preset}${session === undefined ? "" : ` --session ${session}`}`;
  const next =
    chat === undefined ? `${style.dim("see it:")} ${file}` : `${style.dim("talk:")} galley run "Hello" --chat ${chat}`;
  const began = chat === undefined ? "" : `${style.green("began")}  the chat ${chat}\n`;
  return `${read}${wrote.join("")}${began}\n${notesText(notes, terminal)}\n${next}\n`;
}
