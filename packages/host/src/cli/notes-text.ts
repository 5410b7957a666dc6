import type { ImportNote } from "@galley/engine";
import { cleanLines } from "./table.ts";
import { type Terminal, styleFor } from "./terminal.ts";

const fates = ["kept", "converted", "repaired", "unsupported"] as const;
/** More of one fate than this is for `--json`. */
const mostShown = 20;

/** What became of everything, by fate; a person sees the first of each. */
export function notesText(notes: readonly ImportNote[], terminal: Terminal): string {
  const style = styleFor(terminal);
  const paint = { kept: style.green, converted: style.cyan, repaired: style.yellow, unsupported: style.red };
  return fates
    .map((fate) => {
      const own = notes.filter((note) => note.fate === fate);
      if (own.length === 0) return "";
      const lines = own
        .slice(0, mostShown)
        .map(
          ({ path, message }) => `  ${path === "" ? "" : `${cleanLines(path)}  `}${style.dim(cleanLines(message))}\n`,
        );
      const more = own.length > mostShown ? style.dim(`  and ${own.length - mostShown} more; --json lists all\n`) : "";
      return `${paint[fate](fate === "unsupported" ? "not supported" : fate)} ${own.length}\n${lines.join("")}${more}`;
    })
    .join("");
}
