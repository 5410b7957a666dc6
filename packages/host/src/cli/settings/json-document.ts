// Settings of other programs: JSON that may hold comments and commas at the end of lists. Read with the places of its parts, so
// that an edit touches nothing but what it is about.

export type JsonNode =
  | { readonly kind: "object"; readonly start: number; readonly end: number; readonly members: readonly JsonMember[] }
  | { readonly kind: "list"; readonly start: number; readonly end: number; readonly items: readonly JsonNode[] }
  | { readonly kind: "other"; readonly start: number; readonly end: number; readonly value: unknown };

export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
}

const maxDepth = 100;
const blanks = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const quoted = /"(?:[^"\\\n]|\\.)*"/y;
const scalars = /"(?:[^"\\\n]|\\.)*"|-?[\d.eE+-]+|true|false|null/y;

/** A text, and how far it was read. */
interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a document; a text that is blank or holds comments only is nothing. */
export function readJson(text: string): JsonNode | undefined {
  const cursor = { text, at: text.startsWith("\uFEFF") ? 1 : 0 };
  if (nextCharacter(cursor) === undefined) return undefined;
  const root = readNode(cursor, 0);
  if (nextCharacter(cursor) !== undefined) throw wrong(cursor, "something follows the end");
  return root;
}

/** Where the next thing begins that is neither blank nor a comment. */
export function skipBlanks(text: string, from: number): number {
  blanks.lastIndex = from;
  blanks.exec(text);
  return blanks.lastIndex;
}

function nextCharacter(cursor: Cursor): string | undefined {
  cursor.at = skipBlanks(cursor.text, cursor.at);
  return cursor.text[cursor.at];
}

function readNode(cursor: Cursor, depth: number): JsonNode {
  if (depth > maxDepth) throw wrong(cursor, "it is nested too deeply");
  const start = cursor.at;
  const first = cursor.text[start];
  if (first === "{") {
    const members: JsonMember[] = [];
    readList(cursor, "}", () => members.push(readMember(cursor, depth)));
    return { kind: "object", start, end: cursor.at, members };
  }
  if (first === "[") {
    const items: JsonNode[] = [];
    readList(cursor, "]", () => items.push(readNode(cursor, depth + 1)));
    return { kind: "list", start, end: cursor.at, items };
  }
  const value = readScalar(cursor, scalars);
  return { kind: "other", start, end: cursor.at, value };
}

function readMember(cursor: Cursor, depth: number): JsonMember {
  const start = cursor.at;
  const key = String(readScalar(cursor, quoted));
  if (nextCharacter(cursor) !== ":") throw wrong(cursor, "a colon is missing");
  cursor.at += 1;
  nextCharacter(cursor);
  return { key, start, value: readNode(cursor, depth + 1) };
}

/** The items up to a closing bracket, with commas between them and perhaps one more at the end. */
function readList(cursor: Cursor, close: string, readItem: () => void): void {
  cursor.at += 1;
  while (nextCharacter(cursor) !== close) {
    readItem();
    const next = nextCharacter(cursor);
    if (next === ",") cursor.at += 1;
    else if (next !== close) throw wrong(cursor, `a comma or ${close} is missing`);
  }
  cursor.at += 1;
}

function readScalar(cursor: Cursor, pattern: RegExp): unknown {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) {
    const next = cursor.text[cursor.at];
    throw wrong(cursor, next === undefined ? "it ends too early" : `${JSON.stringify(next)} was not expected`);
  }
  try {
    const value: unknown = JSON.parse(found);
    cursor.at += found.length;
    return value;
  } catch {
    throw wrong(cursor, `${found.slice(0, 40)} is not JSON`);
  }
}

/** What is wrong with a text, and where. */
function wrong({ text, at }: Cursor, what: string): Error {
  return new Error(`line ${text.slice(0, at).split("\n").length}: ${what}`);
}

/** The value of a node; of members with one name the last counts, as in JSON. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === "other") return node.value;
  if (node.kind === "list") return node.items.map(valueOf);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]));
}
