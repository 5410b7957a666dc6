import { type JsonMember, type JsonNode, readJson, valueOf } from "./json-document.ts";
import { append, formatted, indentAt, newDocument, removePart } from "./json-edit.ts";
import type { TextEdit } from "./text-edit.ts";

export type ObjectNode = Extract<JsonNode, { kind: "object" }>;

/** The whole document; an empty one where the text holds none. */
export function readJsonDocument(text: string): Readonly<Record<string, unknown>> {
  const root = objectOf(readJson(text), "the document");
  return root ? (valueOf(root) as Readonly<Record<string, unknown>>) : {};
}

/** Puts a value at a place: in place of the one that is there, or behind its siblings. */
export function setJsonEntry(text: string, [section, name]: readonly [string, string], value: object): TextEdit {
  const root = objectOf(readJson(text), "the document");
  if (!root) return newDocument(text, { [section]: { [name]: value } });
  const parent = memberOf(root, section);
  if (!parent) return append(text, root, { [name]: value }, section);
  const servers = objectOf(parent.value, section);
  if (!servers) throw new Error(`${section} is missing`);
  const entry = memberOf(servers, name);
  if (!entry) return append(text, servers, value, name);
  const { start, end } = entry.value;
  return { start, end, text: formatted(value, text, indentAt(text, entry.start)) };
}

/** Takes a value out, with the comma that parted it from its neighbours; nothing when it is not there. */
export function removeJsonEntry(text: string, [section, name]: readonly [string, string]): TextEdit | undefined {
  const parent = memberOf(objectOf(readJson(text), "the document"), section);
  const servers = parent && objectOf(parent.value, section);
  const entry = memberOf(servers, name);
  return servers && entry ? removePart(text, servers, servers.members.indexOf(entry)) : undefined;
}

export function memberOf(node: ObjectNode | undefined, key: string): JsonMember | undefined {
  return node?.members.findLast((member) => member.key === key);
}

export function objectOf(node: JsonNode | undefined, what: string): ObjectNode | undefined {
  if (node === undefined || node.kind === "object") return node;
  throw new Error(`${what} is not an object`);
}
