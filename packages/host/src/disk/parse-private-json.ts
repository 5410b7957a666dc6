import { GalleyError, parseJson } from "@galley/engine";

/** Parses JSON that may hold secrets: what the parser says of a syntax error quotes the text, so it is not passed on. */
export function parsePrivateJson(text: string, file: string): unknown {
  try {
    return parseJson(text, { what: `file ${file}`, path: file });
  } catch (error) {
    const detail = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    const place = /\(?(?:at )?(?:position \d+|line \d+ column \d+)(?: \(line \d+ column \d+\))?\)?/.exec(detail)?.[0];
    throw new GalleyError("InvalidJson", `${file} is not valid JSON${place ? ` ${place}` : ""}.`, {
      path: file,
      hint: "Look for a missing comma or quote, or a comma behind the last item.",
    });
  }
}
