import { encodeBase64 } from "./base64.ts";
import { explain, fieldsCheck, functionCheck, invalidInput } from "./check/input.ts";
import type { GalleyError } from "./check/errors.ts";

const maxDepth = 500;

export interface CanonicalOptions {
  /** What stands for bytes; base64 text unless said otherwise. */
  writeBytes?(bytes: Uint8Array): string;
  /** What stands for a text. */
  writeText?(text: string): string;
}

/**
 * JSON after RFC 8785: keys sorted by UTF-16 units, no spaces, the shortest form of every number. Absent and undefined
 * fields are the same. A lone surrogate is escaped, because it has no UTF-8 form [P2].
 */
export function canonicalJson(value: unknown, options: CanonicalOptions = {}): string {
  try {
    return write(value, [], options);
  } catch (error) {
    throw explain(error, () => optionsCheck(options, "options"));
  }
}

const optionsCheck = fieldsCheck({ writeBytes: functionCheck, writeText: functionCheck });

/** Where a value stands: the keys and indexes that lead to it. Written out only when something is wrong there. */
type Trail = (string | number)[];

function write(value: unknown, trail: Trail, options: CanonicalOptions): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(options.writeText ? options.writeText(value) : value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw invalid(trail, "is not a finite number");
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : writeObject(value, trail, options);
    case "undefined":
    case "function":
    case "symbol":
    case "bigint":
      throw invalid(trail, `is a ${typeof value}, which JSON does not have`);
  }
}

function writeObject(value: object, trail: Trail, options: CanonicalOptions): string {
  if (trail.length > maxDepth) throw invalid(trail, `is nested more than ${maxDepth} levels deep or in a circle`);
  if (Array.isArray(value)) return writeList(value, trail, options);
  if (value instanceof Uint8Array) return writeBytes(value, options);
  if (value instanceof ArrayBuffer) return writeBytes(new Uint8Array(value), options);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    trail.push("toJSON()");
    const text = write(value.toJSON(), trail, options);
    trail.pop();
    return text;
  }
  let text = "";
  for (const key of sortedKeys(value)) {
    const field: unknown = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    trail.push(key);
    text += `${text === "" ? "" : ","}${quotedKey(key)}:${write(field, trail, options)}`;
    trail.pop();
  }
  return `{${text}}`;
}

function writeList(list: readonly unknown[], trail: Trail, options: CanonicalOptions): string {
  let text = "";
  for (let index = 0; index < list.length; index += 1) {
    trail.push(index);
    text += `${index === 0 ? "" : ","}${write(list[index] ?? null, trail, options)}`;
    trail.pop();
  }
  return `[${text}]`;
}

function writeBytes(bytes: Uint8Array, options: CanonicalOptions): string {
  return JSON.stringify(options.writeBytes?.(bytes) ?? encodeBase64(bytes));
}

/** Most objects have few keys, which an insertion sort puts in order faster than `sort`. */
const fewKeys = 12;

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.length > fewKeys) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] as string;
    let at = index;
    for (; at > 0 && (keys[at - 1] as string) > key; at -= 1) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

// Messages have the same few keys over and over.
const quotedKeys = new Map<string, string>();
const rememberedKeys = 500;

function quotedKey(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(key);
  if (quotedKeys.size < rememberedKeys && key.length < 100) quotedKeys.set(key, quoted);
  return quoted;
}

function invalid(trail: Trail, what: string): GalleyError {
  const path = trail
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
  const hint = "Only strings, finite numbers, booleans, null, arrays and plain objects can be sent to a model.";
  return invalidInput(path, `A value cannot be written as JSON: ${path || "it"} ${what}.`, hint);
}
