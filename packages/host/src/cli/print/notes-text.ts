import type { ImportNote } from "@galley/engine/sillytavern";
import { shorten } from "../../limits/short-text.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

/** Says of files that were left from before that they do not belong to what was written now. */
export function leftNotes(files: readonly string[]): ImportNote[] {
  return files.map((path) => ({
    fate: "unsupported",
    path,
    message: "It was there before and was not written now: it does not belong to this.",
  }));
}

const fates = ["kept", "converted", "repaired", "unsupported"] as const;
/** More of one fate than this is for `--json`. */
const maxShown = 20;
const maxLength = 200;

/** What became of everything, by fate; a person sees the first of each. */
export function notesText(notes: readonly ImportNote[], terminal: Terminal): string {
  const style = styleFor(terminal);
  return fates
    .map((fate) => {
      const own = notes.filter((note) => note.fate === fate);
      if (own.length === 0) return "";
      const lines = own.slice(0, maxShown).map(({ path, message }) => {
        return `  ${path === "" ? "" : `${cleanLines(path)}  `}${style.dim(shorten(cleanLines(message), maxLength))}\n`;
      });
      const more = own.length > maxShown ? style.dim(`  and ${own.length - maxShown} more; --json lists all\n`) : "";
      return `${style.bold(fate === "unsupported" ? "not supported" : fate)} ${own.length}\n${lines.join("")}${more}`;
    })
    .join("");
}
