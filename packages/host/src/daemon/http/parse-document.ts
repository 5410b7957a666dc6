import { GalleyError } from "@galley/engine";

/** Deeper than any document of ours; what walks through documents does so by recursion, which has its end. */
const maxLevels = 200;

/** The text of a request as JSON. */
export function parseDocument(text: string): unknown {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new GalleyError("InvalidJson", "The body is not JSON.", { path: "body" });
  }
  if (!isTooDeep(document)) return document;
  throw new GalleyError("BadRequest", `The body is nested deeper than ${maxLevels} levels.`, {
    path: "body",
    hint: "Send a flatter document.",
  });
}

function isTooDeep(document: unknown): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; depth <= maxLevels; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
