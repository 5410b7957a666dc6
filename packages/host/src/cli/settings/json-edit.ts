import { type JsonNode, skipBlanks } from "./json-document.ts";
import { type TextEdit, lineEndOf } from "./text-edit.ts";

// Edits of a JSON text that touch one part of an object or a list, in the manner in which the text is written.

type Container = Exclude<JsonNode, { kind: "other" }>;

interface Part {
  readonly start: number;
  readonly end: number;
}

function partsOf(node: Container): readonly Part[] {
  if (node.kind === "list") return node.items;
  return node.members.map(({ start, value: { end } }) => ({ start, end }));
}

/** A document where there is none yet: behind the comments of a text. */
export function newDocument(text: string, value: object): TextEdit {
  const lineEnd = lineEndOf(text);
  const document = JSON.stringify(value, null, 2).replaceAll("\n", lineEnd);
  const gap = text === "" || text.endsWith("\n") || text === "\uFEFF" ? "" : lineEnd;
  return { start: text.length, end: text.length, text: `${gap}${document}${lineEnd}` };
}

/** Puts a value behind all others: with a key into an object, without one into a list. */
export function append(text: string, node: Container, value: object, key?: string): TextEdit {
  const last = partsOf(node).at(-1);
  const own = indentAt(text, node.start);
  const isOnOneLine = last ? !text.slice(node.start, last.start).includes("\n") : false;
  const indent = last && !isOnOneLine ? indentAt(text, last.start) : own + unitOf(text);
  const lineEnd = lineEndOf(text);
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const part = `${name}${isOnOneLine ? JSON.stringify(value) : formatted(value, text, indent)}`;
  if (!last) {
    // Comments that are in it stay before it.
    const inner = text.slice(node.start + 1, node.end - 1).trimEnd();
    return {
      start: node.start + 1 + inner.length,
      end: node.end - 1,
      text: `${lineEnd}${indent}${part}${lineEnd}${own}`,
    };
  }
  const between = isOnOneLine ? " " : lineEnd + indent;
  const comma = commaBehind(text, last.end, node.end);
  if (comma === undefined) return { start: last.end, end: last.end, text: `,${between}${part}` };
  return { start: comma + 1, end: comma + 1, text: `${between}${part},` };
}

/** Takes a part out, with the comma that parted it from its neighbours. */
export function removePart(text: string, node: Container, index: number): TextEdit | undefined {
  const parts = partsOf(node);
  const [before, part, after] = [parts[index - 1], parts[index], parts[index + 1]];
  if (!part) return undefined;
  const comma = commaBehind(text, part.end, node.end);
  if (after && comma !== undefined) {
    const isBare = text.slice(comma + 1, after.start).trim() === "";
    return { start: part.start, end: isBare ? after.start : comma + 1, text: "" };
  }
  const end = comma === undefined ? part.end : comma + 1;
  const start = before ? before.end : node.start + 1;
  // Comments before it stay. Of the commas the one before it goes, unless the list ends with one.
  const parting = before && comma === undefined ? commaBehind(text, start, node.end) : undefined;
  const kept =
    parting === undefined
      ? text.slice(start, part.start)
      : text.slice(start, parting) + text.slice(parting + 1, part.start);
  return { start, end, text: kept.trimEnd() };
}

/** Where a comma follows, behind blanks and comments. */
function commaBehind(text: string, from: number, end: number): number | undefined {
  const next = skipBlanks(text, from);
  return next < end && text[next] === "," ? next : undefined;
}

export function formatted(value: object, text: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", lineEndOf(text) + indent);
}

/** The blanks with which the line of a place begins. */
export function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
}

/** One step of indentation, as the document has it. */
function unitOf(text: string): string {
  return /\n([ \t]+)["{/]/.exec(text)?.[1] ?? "  ";
}
