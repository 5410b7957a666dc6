import { GalleyError } from "./errors.ts";

const maximumDepth = 500;

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
  return write(value, "", 0, options);
}

function write(value: unknown, path: string, depth: number, options: CanonicalOptions): string {
  if (depth > maximumDepth) throw invalid(path, `is nested more than ${maximumDepth} levels deep or in a circle`);
  switch (typeof value) {
    case "string":
      return JSON.stringify(options.writeText ? options.writeText(value) : value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw invalid(path, "is not a finite number");
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : writeObject(value, path, depth, options);
    case "undefined":
    case "function":
    case "symbol":
    case "bigint":
      throw invalid(path, `is a ${typeof value}, which JSON does not have`);
  }
}

function writeObject(value: object, path: string, depth: number, options: CanonicalOptions): string {
  const writeBytes = (bytes: Uint8Array): string => options.writeBytes?.(bytes) ?? toBase64(bytes);
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => write(item ?? null, `${path}[${index}]`, depth + 1, options)).join(",")}]`;
  }
  if (value instanceof Uint8Array) return JSON.stringify(writeBytes(value));
  if (value instanceof ArrayBuffer) return JSON.stringify(writeBytes(new Uint8Array(value)));
  if ("toJSON" in value && typeof value.toJSON === "function") return write(value.toJSON(), path, depth + 1, options);
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const field: unknown = (value as Record<string, unknown>)[key];
    if (field !== undefined)
      fields.push(`${JSON.stringify(key)}:${write(field, `${path}.${key}`, depth + 1, options)}`);
  }
  return `{${fields.join(",")}}`;
}

function toBase64(bytes: Uint8Array): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const block = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    const length = Math.min(3, bytes.length - index) + 1;
    for (let digit = 0; digit < 4; digit += 1) {
      text += digit < length ? alphabet[(block >> (18 - 6 * digit)) & 63] : "=";
    }
  }
  return text;
}

function invalid(path: string, what: string): GalleyError {
  return new GalleyError("ContextInvalidInput", `A value cannot be written as JSON: ${path || "it"} ${what}.`, {
    path: path.replace(/^\./, ""),
    hint: "Only strings, finite numbers, booleans, null, arrays and plain objects can be sent to a model.",
  });
}
