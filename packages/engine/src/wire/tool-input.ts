import type { JsonObject } from "../model/messages.ts";

export interface ToolInput {
  readonly input: JsonObject;
  /** True when the arguments were no object and had to be put into one. */
  readonly wrapped: boolean;
}

/** A call's arguments as the object that providers demand. Arguments that were never parsed are parsed here. */
export function toolInput(input: unknown): ToolInput {
  if (input === undefined || input === null || input === "") return { input: {}, wrapped: false };
  if (isObject(input)) return { input, wrapped: false };
  if (typeof input === "string") {
    const parsed = parseObject(input);
    if (parsed) return { input: parsed, wrapped: false };
  }
  return { input: { value: input as JsonObject[string] }, wrapped: true };
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
