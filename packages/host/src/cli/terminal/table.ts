import type { ModelMessage } from "@galley/engine";
import { localTime } from "../../turn/services/local-time.ts";
import { cleanLines } from "./clean-text.ts";
import { type Style, type Terminal, styleFor } from "./terminal.ts";

type Shown = string | number | undefined;

/** What stands in a column of an item: a field of it, by name, or what is made of it. Figures stand to the right. */
type Cell<Item> =
  | { [Key in keyof Item]-?: Item[Key] extends Shown ? Key : never }[keyof Item]
  | ((item: Item, index: number) => Shown);

interface Column<Item> {
  readonly cell: Cell<Item>;
  readonly isNumber?: boolean;
  readonly isElastic?: boolean;
  readonly style?: keyof Style | undefined;
}

/** The columns of a table by their titles. */
export type Columns<Item> = Readonly<Record<string, Cell<Item> | Column<Item>>>;

/** A column of figures that are written as text. */
export function numbers<Item>(cell: Cell<Item>, style?: keyof Style): Column<Item> {
  return { cell, style, isNumber: true };
}

/** The column that gives way when the line is too long. */
export function elastic<Item>(cell: Cell<Item>, style?: keyof Style): Column<Item> {
  return { cell, style, isElastic: true };
}

export function styled<Item>(style: keyof Style, cell: Cell<Item>): Column<Item> {
  return { cell, style };
}

/** A list as a table with a line end, or what is said where it is empty, if something is. */
export function listText<Item>(
  items: readonly Item[],
  terminal: Terminal,
  whenEmpty: string | undefined,
  columns: Columns<NoInfer<Item>>,
): string {
  const said = items.length === 0 ? whenEmpty : undefined;
  return `${said ?? renderTable(items, terminal, columns)}\n`;
}

/** Lays items out under the titles. On a terminal the elastic column is cut so that every row stays on one line. */
export function renderTable<Item>(items: readonly Item[], terminal: Terminal, given: Columns<NoInfer<Item>>): string {
  const style = styleFor(terminal);
  const columns = Object.entries(given).map(([title, one]) => {
    const column: Column<Item> = typeof one === "object" ? one : { cell: one };
    const { cell } = column;
    const cells = items.map((item, index) => (typeof cell === "function" ? cell(item, index) : (item[cell] as Shown)));
    const texts = cells.map((text = "") => cleanLines(String(text)).replaceAll("\n", " "));
    const isNumber = column.isNumber ?? cells.every((shown) => typeof shown === "number");
    return { ...column, title, texts, isNumber, width: Math.max(...[title, ...texts].map(textWidth)) };
  });
  const elastic = columns.find((column) => column.isElastic);
  const excess = columns.reduce((sum, { width }) => sum + width + 2, 0) - terminal.columns;
  if (elastic && excess > 0) elastic.width = Math.max(12, elastic.width - excess);
  const painted = columns.map(({ title, texts, width, isNumber, style: own }) => {
    const fitted = (text: string): string => pad(cut(text, width), width, isNumber);
    return [style.dim(fitted(title)), ...texts.map((text) => (own ? style[own](fitted(text)) : fitted(text)))];
  });
  const lines = [undefined, ...items].map((_, at) => painted.map((column) => column[at]).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
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
