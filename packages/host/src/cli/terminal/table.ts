import type { ModelMessage } from "@galley/engine";
import { localTime } from "../../turn/services/local-time.ts";
import { cleanLines } from "./clean-text.ts";
import { type Style, type Terminal, styleFor } from "./terminal.ts";

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** The column that gives way when the line is too long. */
  readonly isElastic?: boolean;
  readonly style?: keyof Style | undefined;
}

/** A column of figures, which stand to the right. */
export function numbers(title: string, style?: keyof Style): Column {
  return { title, style, isNumber: true };
}

/** The column that gives way when the line is too long. */
export function elastic(title: string, style?: keyof Style): Column {
  return { title, style, isElastic: true };
}

export function styled(title: string, style: keyof Style): Column {
  return { title, style };
}

/** Lays rows out under their titles. On a terminal the elastic column is cut so that every row stays on one line. */
export function renderTable(
  titles: readonly (Column | string)[],
  given: readonly (readonly string[])[],
  terminal: Terminal,
): string {
  const columns = titles.map((column): Column => (typeof column === "string" ? { title: column } : column));
  const style = styleFor(terminal);
  const rows = given.map((row) => row.map((cell) => cleanLines(cell).replaceAll("\n", " ")));
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(row[index] ?? ""))),
  );
  const elastic = columns.findIndex((column) => column.isElastic);
  const excess = widths.reduce((sum, width) => sum + width + 2, 0) - terminal.columns;
  if (elastic >= 0 && excess > 0) widths[elastic] = Math.max(12, (widths[elastic] ?? 0) - excess);
  const line = (cells: readonly string[], isTitle: boolean): string =>
    columns
      .map((column, index) => {
        const cell = pad(cut(cells[index] ?? "", widths[index] ?? 0), widths[index] ?? 0, column.isNumber ?? false);
        if (isTitle) return style.dim(cell);
        return column.style ? style[column.style](cell) : cell;
      })
      .join("  ")
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      true,
    ),
    ...rows.map((row) => line(row, false)),
  ].join("\n");
}

function pad(text: string, width: number, isNumber: boolean): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return isNumber ? space + text : text + space;
}

function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let result = "";
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    result += character;
  }
  return `${result}…`;
}

/** Latin letters, punctuation and arrows: a column each, known without Unicode's tables, which take longer to load than a list. */
const plain = /^[ -\u02ff\u2010-\u20cf\u2100-\u2319]*$/;

function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Chinese, Japanese, Korean and emoji take two columns; combining marks none. */
function characterWidth(character: string): number {
  if (/^\p{Mark}$/u.test(character)) return 0;
  return /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u.test(
    character,
  )
    ? 2
    : 1;
}

/** A time of the clock on the wall, to the minute. */
export function timeText(time: number): string {
  return localTime(new Date(time)).slice(0, 16).replace("T", " ");
}

/** A text on one line, for a preview. */
export function onOneLine(text: string, length: number): string {
  const start = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return start.length > length ? `${start.slice(0, length)}…` : start;
}

/** What a message says, in one string for a table. */
export function previewOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "text" || part.type === "reasoning") return part.text;
      if (part.type === "tool-call") return `${part.toolName}(${JSON.stringify(part.input)})`;
      if (part.type !== "tool-result") return `[${part.type}]`;
      const { output } = part;
      if (output.type === "text" || output.type === "error-text") return `→ ${output.value}`;
      return `→ ${"value" in output ? JSON.stringify(output.value) : output.type}`;
    })
    .join(" ");
}
