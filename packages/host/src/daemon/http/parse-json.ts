import { GalleyError } from "@galley/engine";

/** Deeper documents are nobody's data, and whatever walks them would run out of stack. */
const deepest = 200;

/** A document that came from outside; throws when it is no JSON, or nested too deeply. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GalleyError("InvalidJson", "The body is not JSON.", { path: "body" });
  }
  if (depthOf(text) <= deepest) return value;
  throw new GalleyError("BadRequest", `The body is nested deeper than ${deepest} levels.`, { path: "body" });
}

/** Of a text that is JSON. Brackets inside of strings do not count. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "[" || sign === "{") most = Math.max(most, (depth += 1));
    else if (sign === "]" || sign === "}") depth -= 1;
  }
  return most;
}

/** Where the string that begins at `start` has its other quotation mark: the first behind an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
