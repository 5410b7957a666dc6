import { basename } from "node:path";
import { exportTavern, parsePreset } from "@galley/engine";
import type { TavernExport } from "@galley/engine/sillytavern";
import type { Command } from "commander";
import { readText, writeFiles } from "../input/files.ts";
import { notesText } from "../print/notes-text.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

interface ExportFlags {
  readonly out: string;
  readonly model?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `galley export`: a preset becomes SillyTavern's files. */
export function defineExport(command: Command, terminal: Terminal): void {
  command
    .argument("<preset>", "preset (JSON); - reads standard input")
    .description(
      "Writes a chat-completion preset for SillyTavern, and a world info file beside it for each book. " +
        "What these files cannot say is listed.",
    )
    .requiredOption("-o, --out <file>", "the preset to write; books go beside it, with their name before the ending")
    .option("-m, --model <id>", "the model whose recipe is written")
    .option("--force", "replace files that already exist")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", "\nExample:\n  $ galley export mara.json --out tavern.json")
    .action(async (file: string, flags: ExportFlags) => {
      const { preset } = parsePreset(await readText(file, terminal));
      const exported = exportTavern(preset, flags.model === undefined ? {} : { model: flags.model });
      const books = bookFiles(exported, flags.out);
      const written = [{ file: flags.out, text: json(exported.preset) }, ...books];
      await writeFiles(written, { isForced: flags.force === true });
      const { notes } = exported;
      const style = styleFor(terminal);
      terminal.out(
        flags.json
          ? json({ preset: flags.out, books: books.map((book) => book.file), notes })
          : `${written.map((one) => `${style.green("wrote")}  ${one.file}\n`).join("")}\n${notesText(notes, terminal)}`,
      );
    });
}

/** A book's name comes from outside: nothing of it may lead to another folder, and no two books share a file. */
function bookFiles({ books }: TavernExport, out: string): { readonly file: string; readonly text: string }[] {
  const taken = new Set<string>();
  return books.map(({ name, book }) => {
    const safe =
      basename(name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_"))
        .replace(/^\.+/, "_")
        .slice(0, 80) || "book";
    let own = safe;
    for (let count = 2; taken.has(own.toLowerCase()); count += 1) own = `${safe}-${count}`;
    taken.add(own.toLowerCase());
    return { file: `${out.replace(/\.json$/i, "")}.${own}.json`, text: json(book) };
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
