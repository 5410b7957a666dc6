import type { JsonObject, ToolCallPart } from "../../model/messages.ts";
import type { Placed } from "./arrange-sides.ts";
import type { WireReport } from "./wire-report.ts";

/** A call's arguments as the object that providers demand. Arguments that were never parsed are parsed here. */
export function toolInput(place: Placed<ToolCallPart>, report: WireReport): JsonObject {
  const { input } = place.part;
  // Missing arguments are valid.
  if (input === undefined || input === null || input === "") return {};
  if (isObject(input)) return input;
  const parsed = typeof input === "string" ? parseObject(input) : undefined;
  if (parsed) return parsed;
  report.notePart(place, "input-wrapped");
  return { value: input as JsonObject[string] };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
