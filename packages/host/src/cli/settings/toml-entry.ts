import { type TextEdit, lineEndOf } from "./text-edit.ts";

/** Puts a table at a place: in place of the one that is there, or at the end. */
export function setTomlEntry(text: string, [section, name]: readonly [string, string], value: object): TextEdit {
  const lineEnd = lineEndOf(text);
  const lines = [`[${section}.${name}]`, ...Object.entries(value).map(([key, item]) => `${key} = ${literal(item)}`)];
  const table = lines.map((line) => line + lineEnd).join("");
  const there = tableAt(text, section, name);
  if (there) return { ...there, text: table };
  const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
  return { start: text.length, end: text.length, text: gap + table };
}

/** Takes a table out; nothing when it is not there as a table of its own. */
export function removeTomlEntry(text: string, [section, name]: readonly [string, string]): TextEdit | undefined {
  const there = tableAt(text, section, name);
  return there && { ...there, text: "" };
}

/** The lines of a table, with those of the tables inside of it. */
function tableAt(text: string, section: string, name: string): Omit<TextEdit, "text"> | undefined {
  const own = new RegExp(`^[ \\t]*\\[\\s*${section}\\s*\\.\\s*(?:${name}|"${name}")\\s*(?:\\.[^\\]]*)?\\]`, "u");
  let start: number | undefined;
  let at = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const isOwn = own.test(line);
    if (start === undefined && isOwn) start = at;
    else if (start !== undefined && !isOwn && /^[ \t]*\[/.test(line)) return { start, end: at };
    at += line.length;
  }
  return start === undefined ? undefined : { start, end: text.length };
}

/** A text, a list of texts or a map of them; what JSON writes for texts is TOML too. */
function literal(value: unknown): string {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} = ${literal(item)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);
}
