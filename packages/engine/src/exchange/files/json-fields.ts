import type { JsonObject, JsonValue } from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";

// Fields of records that other programs wrote: anything of another kind than expected counts as absent.

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isJsonObject(item)) : [];
}

/** The time of a record: a text or a number as the log has it; 0 where it says none. */
export function timeOf(value: JsonValue | undefined): string | number {
  return typeof value === "string" || typeof value === "number" ? value : 0;
}
