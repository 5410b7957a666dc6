import { GalleyError } from "./errors.ts";

const maximumDepth = 200;

export interface ParseJsonOptions {
  /** What the text is, for the message: `preset examples/recipes.json`. */
  readonly what: string;
  readonly path?: string;
}

/** Parses JSON from outside; refuses what later steps could not walk without overflowing the stack. */
export function parseJson(text: string, { what, path }: ParseJsonOptions): unknown {
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
  if (depthOf(value) > maximumDepth) {
    throw new GalleyError("InvalidJson", `The ${what} is nested more than ${maximumDepth} levels deep.`, {
      path,
      hint: "Check for a file that was wrapped in itself; no preset or session needs this depth.",
    });
  }
  return value;
}

function hintFor(text: string): string {
  const start = text.trimStart();
  if (start === "") return "The text is empty.";
  if (!/^[[{]/.test(start)) return `It should start with { or [; it starts with ${JSON.stringify(start.slice(0, 12))}.`;
  return "Look for a missing comma or quote, or a comma behind the last item.";
}

/** How deep the value is nested, without recursion; stops as soon as it is too deep. */
function depthOf(root: unknown): number {
  let level: unknown[] = [root];
  let depth = 0;
  while (level.length > 0 && depth <= maximumDepth) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const child of Array.isArray(value) ? value : Object.values(value)) {
        if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    level = next;
    depth += 1;
  }
  return depth;
}
