import { basename, extname } from "node:path";
import { GalleyError, formatSession, importReport, importTavern, readTavernFile } from "@galley/engine";
import {
  type ImportNote,
  type ImportReport,
  type TavernFile,
  type TavernKind,
  tavernKinds,
} from "@galley/engine/sillytavern";
import { type Command, Option } from "commander";
import { readBytes, writeFiles } from "../input/files.ts";
import { localTime } from "../../turn/services/local-time.ts";
import { notesText } from "../print/notes-text.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

interface ImportFlags {
  readonly out: string;
  readonly as?: TavernKind;
  readonly user?: string;
  readonly persona?: string;
  readonly entries?: "constant" | "all";
  readonly embeddedBook?: boolean;
  readonly continue?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ galley import examples/sillytavern-card.json --out mara.json
  $ galley import card.png book.json preset.json chat.jsonl --out mara.json --entries all
  $ galley import card.png --out mara.json --embedded-book --entries all    the card's own world info, switched on
  $ galley explain --preset mara.json --session mara.jsonl                  what a model would read
  $ galley preset save mara mara.json                                       keep it where Studio finds it
  $ galley run "Hello" --chat mara --preset mara.json                       talk with it`;

/** `galley import`: SillyTavern's files become one preset and one session. */
export function defineImport(command: Command, terminal: Terminal): void {
  command
    .argument(
      "<files...>",
      "a card (PNG, CharX, JSON), world info, a preset, a chat, a persona, an author's note; in any order",
    )
    .description(
      "Reads SillyTavern's files and writes one preset, and a session beside it, that build what SillyTavern sends. " +
        "The kind of a file is detected from its content. The report says what was kept, converted, repaired and not supported.",
    )
    .requiredOption("-o, --out <file>", "the preset to write; the session goes beside it, with the ending .jsonl")
    .addOption(new Option("--as <kind>", "the kind of a file whose content does not say").choices(tavernKinds))
    .option("--user <name>", "the user's name (default: the chat's, the persona's, or User)")
    .option("--persona <text>", "what the user is like, instead of a persona file")
    .addOption(
      new Option("--entries <which>", "world info that is on: constant, or all that is not disabled")
        .choices(["constant", "all"])
        .default("constant"),
    )
    .option("--embedded-book", "use the book inside the card as well")
    .option("--continue", "the next reply goes on with the last message")
    .option("--force", "replace files that already exist")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", examples)
    .action(async (files: readonly string[], flags: ImportFlags) => runImport(files, flags, terminal));
}

async function runImport(paths: readonly string[], flags: ImportFlags, terminal: Terminal): Promise<void> {
  const report = importReport();
  const read: { readonly path: string; readonly file: TavernFile }[] = [];
  for (const path of paths) read.push({ path, file: await readOne(path, paths.length === 1, flags.as, report) });
  const persona = flags.persona === undefined ? [] : [personaOf(flags.persona)];
  const { preset, entries, notes } = importTavern([...read.map(({ file }) => file), ...persona], {
    report,
    now: localTime(),
    ...(flags.user === undefined ? {} : { user: flags.user }),
    activated: flags.entries ?? "constant",
    useEmbeddedBook: flags.embeddedBook === true,
    isContinued: flags.continue === true,
  });
  const session = entries.length > 0 ? `${flags.out.replace(/\.json$/i, "")}.jsonl` : undefined;
  const written = [
    { file: flags.out, text: `${JSON.stringify(preset, null, 2)}\n` },
    ...(session === undefined ? [] : [{ file: session, text: formatSession(entries) }]),
  ];
  await writeFiles(written, { isForced: flags.force === true });
  const kinds = read.map(({ path, file }) => ({ file: path, kind: file.kind }));
  if (flags.json) {
    terminal.out(`${JSON.stringify({ preset: flags.out, session: session ?? null, files: kinds, notes }, null, 2)}\n`);
  } else terminal.out(reportText(kinds, notes, flags.out, session, terminal));
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
  preset: string,
  session: string | undefined,
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const read = kinds.map(({ file, kind }) => `${style.dim("read")}   ${file} ${style.dim(`(${kind})`)}\n`).join("");
  const wrote = [preset, ...(session === undefined ? [] : [session])].map(
    (file) => `${style.green("wrote")}  ${file}\n`,
  );
  const next = `galley explain --preset ${preset}${session === undefined ? "" : ` --session ${session}`}`;
  return `${read}${wrote.join("")}\n${notesText(notes, terminal)}\n${style.dim("see it:")} ${next}\n`;
}
