import type { ToolResultContent, ToolResultOutput } from "../../model/messages.ts";
import { clipMiddle, shortLine } from "./sentences.ts";

const head = 4000;
const tail = 2000;
const deepest = 6;
const ends = 20;

/**
 * A value from outside as `key: value` lines. However large the value is, only its beginning and the ends of its lists are
 * walked, so that the cost has a bound.
 */
function describeValue(value: unknown): string {
  const lines: string[] = [];
  let room = head;
  const walk = (name: string, item: unknown, depth: number): void => {
    // Every step costs, or a tree of empty lists would be walked for ever.
    room -= 1;
    if (room <= 0 || item === undefined) return;
    if (typeof item === "object" && item !== null && depth < deepest) {
      for (const [key, child] of endsOf(item)) {
        walk(Array.isArray(item) ? name : name === "" ? key : `${name}.${key}`, child, depth + 1);
      }
      return;
    }
    const text = leafText(item);
    room -= text.length + name.length;
    lines.push(name === "" ? text : `${name}: ${text}`);
  };
  walk("", value, 0);
  return lines.join("\n");
}

function leafText(item: unknown): string {
  switch (typeof item) {
    case "string":
      return clipMiddle(item, head, tail);
    case "number":
    case "boolean":
    case "bigint":
      return String(item);
    case "object":
      return item === null ? "null" : "…";
    case "undefined":
    case "function":
    case "symbol":
      return "";
  }
}

function endsOf(item: object): (readonly [string, unknown])[] {
  if (ArrayBuffer.isView(item)) return [];
  if (!Array.isArray(item)) return Object.entries(item).slice(0, ends * 2);
  const kept = item.length <= ends * 2 ? item : [...item.slice(0, ends), ...item.slice(-ends)];
  return kept.map((child: unknown) => ["", child] as const);
}

const maxFields = 6;

/** The arguments of a call, short enough for one line. */
export function describeInput(input: unknown): string {
  const text = describeValue(input);
  const fields: string[] = [];
  for (let start = 0; start < text.length && fields.length < maxFields;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const field = shortLine(text.slice(start, end), 60);
    if (field !== "") fields.push(field);
    start = end + 1;
  }
  return shortLine(fields.join(", "), 160);
}

export interface ToolText {
  readonly isError: boolean;
  readonly text: string;
  /** Of the whole text, before it was clipped; unknown where it would have to be written out first. */
  readonly length: number | undefined;
}

/** What a tool gave, as text: all that is looked at of it. */
export function toolText(output: ToolResultOutput): ToolText {
  switch (output.type) {
    case "text":
    case "error-text":
      return {
        isError: output.type === "error-text",
        text: clipMiddle(output.value, head, tail),
        length: output.value.length,
      };
    case "json":
    case "error-json":
      return { isError: output.type === "error-json", text: describeValue(output.value), length: undefined };
    case "execution-denied":
      return { isError: true, text: `denied${output.reason === undefined ? "" : `: ${output.reason}`}`, length: 0 };
    case "content": {
      const texts = output.value.slice(0, ends).flatMap(contentText);
      return { isError: false, text: clipMiddle(texts.join("\n"), head, tail), length: undefined };
    }
  }
}

function contentText(content: ToolResultContent): string[] {
  if (content.type === "text") return [clipMiddle(content.text, head, tail)];
  return "filename" in content && content.filename !== undefined ? [content.filename] : [];
}
