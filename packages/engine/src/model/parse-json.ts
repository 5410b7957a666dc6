import { countCheck, fieldsCheck, textCheck } from "./check/input.ts";
import { GalleyError } from "./check/errors.ts";
import type { JsonObject, JsonValue } from "./messages.ts";

const maxDepth = 200;
/** In characters. Shorter texts are parsed without looking at their depth first. */
const largeText = 1_000_000;
const quote = 0x22;

export interface ParseJsonOptions {
  /** What the text is, for the message: `preset examples/recipes.json`. */
  readonly what: string;
  readonly path?: string;
  /** How deep it may be nested; less for what becomes a part of another document, which has its own levels. */
  readonly levels?: number;
}

const optionsCheck = fieldsCheck({ what: textCheck, path: textCheck, levels: countCheck }, ["what"]);

/** Parses JSON from outside; refuses what later steps could not walk without overflowing the stack. */
export function parseJson(text: string, options: ParseJsonOptions): unknown {
  textCheck(text, "text");
  optionsCheck(options, "options");
  const { what, path, levels = maxDepth } = options;
  // Before it is parsed: megabytes of brackets take a parser seconds.
  if (text.length > largeText && levelsOpen(text) > maxDepth) throw tooDeep(options);
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new GalleyError("InvalidJson", `The ${what} is not valid JSON: ${detail}.`, {
      path,
      cause,
      hint: hintFor(text),
    });
  }
  const { depth, isFinite } = shapeOf(value, levels);
  if (depth > levels) throw tooDeep(options);
  if (!isFinite) {
    throw new GalleyError("InvalidJson", `The ${what} holds a number that is too large to be kept.`, {
      path,
      hint: "The largest is about 1.8e308; write it in quotes if it is a text.",
    });
  }
  return value;
}

function tooDeep({ what, path, levels = maxDepth }: ParseJsonOptions): GalleyError {
  return new GalleyError("InvalidJson", `The ${what} is nested more than ${levels} levels deep.`, {
    path,
    hint: "Check for a file that was wrapped in itself; no preset or session needs this depth.",
  });
}

/**
 * How many brackets outside of strings are open at its end, or where there are too many; known before anything is parsed.
 */
function levelsOpen(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= maxDepth; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return depth;
}

/** Where the string ends that begins at `start`; the end of the text for one that is never closed. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text.charCodeAt(slashes - 1) === 0x5c) slashes -= 1;
    if ((at - slashes) % 2 === 0) return at;
  }
  return text.length;
}

function hintFor(text: string): string {
  const start = text.trimStart();
  if (start === "") return "The text is empty.";
  if (!/^[[{]/.test(start)) return `It should start with { or [; it starts with ${JSON.stringify(start.slice(0, 12))}.`;
  const place = "Look for a missing comma or quote, or a comma behind the last item.";
  return levelsOpen(text) > 0 ? `Its end is missing: it may have been cut off. ${place}` : place;
}

/**
 * How deep the value is nested, without recursion; stops as soon as it is too deep. A number beyond all others would be
 * written as null.
 */
function shapeOf(root: unknown, levels: number): { readonly depth: number; readonly isFinite: boolean } {
  let level: unknown[] = [root];
  let depth = 0;
  let isFinite = root !== Infinity && root !== -Infinity;
  while (level.length > 0 && depth <= levels) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const child of Array.isArray(value) ? value : Object.values(value)) {
        if (typeof child === "object" && child !== null) next.push(child);
        else if (child === Infinity || child === -Infinity) isFinite = false;
      }
    }
    level = next;
    depth += 1;
  }
  return { depth, isFinite };
}

/** The value of a JSON text that need not be one. Only for what is not walked: nothing looks at its depth. */
export function jsonOr<Otherwise>(text: string, otherwise: Otherwise): JsonValue | Otherwise {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return otherwise;
  }
}

/** Whether a value is an object as JSON has them: no array, and not nothing. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
