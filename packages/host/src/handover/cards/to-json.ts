import type { JsonObject, JsonValue } from "@galley/engine";

/** A value as JSON can hold it: bytes become base64, URLs their text, and what JSON has no word for is left out. */
export function toJson(value: unknown): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return null;
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || typeof item === "function") continue;
    // Not by assignment: `__proto__` is a key like any other.
    Object.defineProperty(result, key, { value: toJson(item), enumerable: true, configurable: true, writable: true });
  }
  return result;
}
